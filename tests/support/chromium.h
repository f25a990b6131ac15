#pragma once
// Opens pages in a headless Chromium, as a user's browser would.
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cli_runner.h"

namespace heliolite {

struct BrowserRun {
  bool loaded = false;
  std::string dom;                    // the document as it is when its scripts have run
  std::vector<std::string> console;   // every line written there: errors, warnings, refused requests
  std::vector<std::string> requests;  // addresses that the page asked for, beside its own file
};

// The command; empty if there is none.
inline std::string chromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (std::system(("command -v " + std::string(name) + " >/dev/null 2>&1").c_str()) == 0) return name;
  }
  return "";
}

// What the page asked for, of Chromium's log of its network. The browser's own requests have no page as initiator.
inline std::vector<std::string> requests_of_page(const std::string& log) {
  std::vector<std::string> urls;
  const auto json = nlohmann::json::parse(log, nullptr, false);
  if (!json.is_object()) return {"the log of the network cannot be read"};
  const int request = json["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"];
  for (const auto& event : json["events"]) {
    if (event["type"] != request || !event.contains("params")) continue;
    const auto& params = event["params"];
    if (params.value("initiator", "not an origin") != "not an origin") urls.push_back(params.value("url", ""));
  }
  return urls;
}

// A page's timers wait for nothing while nothing is to do, or run by the clock.
enum class BrowserTime { Virtual, Real };

// Opens a file; `flags` are Chromium's. A browser that does not start (a busy machine) is started again.
inline BrowserRun open_in_chromium(const std::string& page, const std::string& flags = "",
                                   BrowserTime time = BrowserTime::Virtual) {
  constexpr int kTries = 3;
  BrowserRun run;
  for (int i = 0; i < kTries && !run.loaded; ++i) {
    const TempFolder folder;
    const std::string out = folder.path("out"), err = folder.path("err"), net = folder.path("net.json");
    const std::string command =
        "timeout 60 " + chromium() +
        " --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
        " --disable-component-update --disable-sync --disable-dev-shm-usage --enable-logging=stderr"
        " --dump-dom" +
        (time == BrowserTime::Virtual ? " --virtual-time-budget=10000" : "") + " --log-net-log=" + net +
        " --user-data-dir=" + folder.path("user") + " " + flags + " 'file://" + page + "' >" + out + " 2>" + err +
        " </dev/null";
    run.loaded = std::system(command.c_str()) == 0;
    run.dom = read_text(out);
    run.requests = requests_of_page(read_text(net));
    std::istringstream lines(read_text(err));
    for (std::string line; std::getline(lines, line);)
      if (line.find(":CONSOLE:") != std::string::npos) run.console.push_back(line);
  }
  return run;
}

}  // namespace heliolite

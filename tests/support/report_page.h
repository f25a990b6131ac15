#pragma once
// The page of a sweep in a real browser, for tests: `heliolite report`, then a headless Chromium.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/support/chromium.h"
#include "tests/support/cli_runner.h"
#include "tests/support/report_sweep.h"

namespace heliolite::testing {

inline constexpr u64 kReportPoints = 400;

// The text with `to` in the place of the first `from`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Pages of one sweep; skipped where there is no Chromium.
class ReportBrowser : public ::testing::Test {
 protected:
  void SetUp() override { report_of(kReportPoints); }

  void report_of(u64 points) {
    if (chromium().empty()) GTEST_SKIP() << "there is no Chromium here: apt-get install chromium";
    write_report_sweep(folder_.path("sweep.db"), points);
    const CliResult written = run_cli("report --points " + std::to_string(points) + " " + folder_.path("sweep.db") +
                                      " -o " + folder_.path("report.html"));
    if (written.err.find("without the chart library") != std::string::npos) GTEST_SKIP() << written.err;
    ASSERT_EQ(written.exit_code, 0) << written.err;
    html_ = read_text(folder_.path("report.html"));
  }

  // The page with another script at its end, that has a say in the same scope as a reader. A headless browser under
  // virtual time draws frames when it likes; here they come at once.
  std::string page_with(const std::string& script) const {
    const std::string frames = "<script>window.requestAnimationFrame = (draw) => setTimeout(draw, 1);</script>";
    const std::string page = replaced(html_, "<head>", "<head>" + frames);
    return folder_.write("probed.html",
                         replaced(page, "</body>", "<script type=\"module\">" + script + "</script></body>"));
  }

  // The page on the screen as it is on paper: with its styles for print, after what it does before printing.
  std::string page_on_paper() const {
    const std::string page = replaced(html_, "@media print", "@media screen");
    const std::string begin = "<script type=\"module\">dispatchEvent(new Event('beforeprint'))</script></body>";
    return folder_.write("paper.html", replaced(page, "</body>", begin));
  }

  // What tests/browser/probe.js found. On a busy machine virtual time may pass faster than the page draws: a probe that
  // did not end is begun again.
  nlohmann::json probed(const std::string& flags = "") const {
    const std::string script = read_text(HELIOLITE_TEST_DATA "/../engine/report/page/ticks.js") +
                               read_text(HELIOLITE_TEST_DATA "/browser/probe.js");
    constexpr int kTries = 3;
    BrowserRun run;
    for (int i = 0; i < kTries && run.dom.find(kProbeMark) == std::string::npos; ++i)
      run = open_in_chromium(page_with(script), flags);
    return findings(run);
  }

  static nlohmann::json findings(const BrowserRun& run) {
    EXPECT_TRUE(run.loaded);
    EXPECT_THAT(run.console, ::testing::IsEmpty());
    EXPECT_THAT(run.requests, ::testing::IsEmpty());
    const std::size_t begin = run.dom.find(kProbeMark);
    if (begin == std::string::npos) return {{"error", "the probe did not end"}};
    const std::size_t from = begin + kProbeMark.size();
    return nlohmann::json::parse(run.dom.substr(from, run.dom.find("</script>", from) - from));
  }

  static constexpr std::string_view kProbeMark = "id=\"probe\">";

  TempFolder folder_;
  std::string html_;
};

}  // namespace heliolite::testing

// heliolite report DB --serve: the page of a sweep that is still being written.
#include "cli/sweep/page_server.h"

#include <fmt/format.h>
#include <heliolite/version.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/sweep/opened_store.h"
#include "cli/ui/json.h"
#include "engine/report/html.h"
#include "engine/report/report_data.h"
#include "engine/report/report_page.h"
#include "engine/sweep/store.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLeastAge{2};  // of a page before it is made again

// The page of the database as it was not long ago.
class FollowedPage {
 public:
  FollowedPage(std::string database, const ReportLimits& limits) : database_(std::move(database)), limits_(limits) {}

  // The files as they are: sizes and times of the database and of the log that its writer appends to.
  std::string state() const {
    std::string text;
    for (const char* ending : {"", "-wal"}) {
      std::error_code missing;
      const fs::path file = database_ + ending;
      const auto size = fs::file_size(file, missing);
      const auto time = fs::last_write_time(file, missing).time_since_epoch().count();
      text += missing ? "x" : fmt::format("{:x}x{:x}x", size, static_cast<u64>(time));
    }
    return text;
  }

  // The errors of the first look; later ones are shown to the reader of the page.
  Diagnostics look() {
    const std::string now = state();
    if (!html_.empty() && (now == made_of_ || Clock::now() - made_ < kLeastAge)) return {};
    Diagnostics errors = make(now);
    made_ = Clock::now();
    made_of_ = now;
    return errors;
  }

  std::string html() {
    const Diagnostics errors = look();
    return errors.empty() ? html_ : message("Cannot be read", to_string(errors));
  }
  std::string shown_state() const {
    const bool old = Clock::now() - made_ >= kLeastAge;
    return old ? state() : made_of_;
  }

 private:
  Diagnostics make(const std::string& now) {
    const Result<Store> store = Store::read(database_, &interrupt_flag());
    if (!store) return store.errors();
    const Result<ReportData> data = read_report(*store, limits_);
    if (!data) return data.errors();
    if (data->summary.points() == 0) {
      html_ = message("No points yet", "The sweep has not finished a point; this page looks again by itself.");
      return {};
    }
    Result<std::string> page = report_page(*data, to_string(version_info()), now);
    if (!page) return page.errors();
    html_ = *std::move(page);
    return {};
  }

  std::string message(const std::string& title, const std::string& text) const {
    const std::string page =
        html_page(title, "<main><h1>" + html_text(title) + "</h1><p>" + html_text(text) + "</p></main>",
                  to_string(version_info()));
    const std::size_t head = page.find("<head>");
    return head == std::string::npos
               ? page
               : page.substr(0, head + 6) + "<meta http-equiv=\"refresh\" content=\"2\">" + page.substr(head + 6);
  }

  std::string database_;
  ReportLimits limits_;
  std::string html_, made_of_;
  Clock::time_point made_{};
};

}  // namespace

int serve_report(const std::string& database, const std::string& port, const ReportLimits& limits,
                 const Output& output) {
  const Result<u64> asked = served_port(port);
  if (!asked) return fail(asked.errors());
  FollowedPage page(database, limits);
  if (const Diagnostics errors = page.look(); !errors.empty()) return fail_reading(errors);
  Result<PageServer> server = PageServer::open(*asked);
  if (!server) return fail(server.errors());
  const std::string address = fmt::format("http://127.0.0.1:{}/", server->port());
  output.table(fmt::format("{} at {}, Ctrl-C ends\n", database, address));
  const u64 requests = server->serve({[&] { return page.shown_state(); }, [&] { return page.html(); }},
                                     [] { return interrupt_flag().load(); });
  Json answer = answer_head("report");
  answer["question"] = {{"database", database}, {"points", limits.points}, {"best", limits.best}, {"serve", *asked}};
  answer["address"] = address;
  answer["requests"] = requests;
  return output.json(answer) ? kInterrupted : kBadInput;
}

}  // namespace heliolite::cli

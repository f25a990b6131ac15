// heliolite report: a sweep, or an answer of map, as one HTML page that opens anywhere; with --serve the page of a
// sweep that is still being written.
#include <fmt/format.h>
#include <heliolite/version.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "cli/sweep/page_server.h"
#include "cli/sweep/sweep_parts.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/report/answer_page.h"
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

// Serves the page of `database` at `port` (served_port()) until Ctrl-C; returns the exit code.
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

constexpr u64 kMaxDrawn = 100'000;  // what a browser still draws
constexpr u64 kMaxBest = 1'000;

struct ReportArguments {
  std::string source;  // a database or an answer
  std::string page;
  std::string port;  // --serve; empty: not asked
  ReportLimits limits;
};

// -o, or the source's name with another ending.
std::string page_name(const ReportArguments& arguments) {
  return arguments.page.empty() ? fs::path(arguments.source).replace_extension(".html").string() : arguments.page;
}

Json sweep_json(const ReportArguments& arguments, const std::string& page, const ReportData& data, std::size_t bytes) {
  Json answer = answer_head("report");
  answer["question"] = {
      {"database", arguments.source}, {"points", arguments.limits.points}, {"best", arguments.limits.best}};
  answer["sweep"] = {{"name", data.sweep.name}, {"question", data.sweep.question}};
  answer["page"] = page;
  answer["bytes"] = bytes;
  answer["points"] = data.summary.points();
  answer["mapped"] = data.summary.count(PointState::Done);
  answer["drawn"] = data.drawn().size();
  answer["front"] = data.summary.front.size();
  answer["detailed"] = data.details.size();
  return answer;
}

std::string text(const std::string& page, const ReportData& data, std::size_t bytes) {
  return fmt::format("{}: {} of {} points mapped, {} drawn, {} on the Pareto front ({:.1f} MB)\n", page,
                     grouped(data.summary.count(PointState::Done)), grouped(data.summary.points()),
                     grouped(data.drawn().size()), grouped(data.summary.front.size()),
                     static_cast<double>(bytes) / 1e6);
}

int report_answer(const ReportArguments& arguments, const std::string& answer, const Output& output) {
  const std::string page = page_name(arguments);
  if (arguments.page.empty() && !output.claim("-o", page)) return kBadInput;
  const Result<std::string> html = answer_page(answer, arguments.source, to_string(version_info()));
  if (!html) return fail(html.errors());
  if (!output.write("-o", *html)) return kBadInput;
  output.table(fmt::format("{}: the answer of {} ({:.1f} MB)\n", page, arguments.source,
                           static_cast<double>(html->size()) / 1e6));
  Json json = answer_head("report");
  json["question"] = {{"answer", arguments.source}};
  json["page"] = page;
  json["bytes"] = html->size();
  return output.json(json) ? kSuccess : kBadInput;
}

int report_sweep(const ReportArguments& arguments, const Output& output) {
  const std::string page = page_name(arguments);
  const Result<Store> store = open_to_read(arguments.source, output);
  if (!store) return fail_reading(store.errors());
  if (arguments.page.empty() && !output.claim("-o", page)) return kBadInput;
  const Result<ReportData> data = read_report(*store, arguments.limits);
  if (!data) return fail_reading(data.errors());
  if (data->summary.points() == 0) {
    fail(fmt::format("{} holds no points yet, there is nothing to report", arguments.source));
    return kNegative;
  }
  const Result<std::string> html = report_page(*data, to_string(version_info()));
  if (!html) return fail(html.errors());
  if (!output.write("-o", *html)) return kBadInput;
  output.table(text(page, *data, html->size()));
  return output.json(sweep_json(arguments, page, *data, html->size())) ? kSuccess : kBadInput;
}

int run(const ReportArguments& arguments, bool has_limits, const Output& output) {
  if (!arguments.port.empty()) {
    if (!arguments.page.empty()) return fail("--serve writes no file, -o must be left out");
    return serve_report(arguments.source, arguments.port, arguments.limits, output);
  }
  const std::optional<std::string> answer = map_answer_text(arguments.source);
  if (!answer) return report_sweep(arguments, output);
  if (has_limits) return fail("--points and --best are of sweeps; " + arguments.source + " is an answer");
  return report_answer(arguments, *answer, output);
}

}  // namespace

void add_report_command(CommandLine& line) {
  auto arguments = std::make_shared<ReportArguments>();
  const Command command(line, "report", "A sweep, or an answer of map, as one HTML page");
  command.value("source", arguments->source, "FILE", "Database of a sweep, running or done, or what map --json wrote")
      ->required();
  command.target("-o,--output", arguments->page, "The page; without it FILE's name with .html; - = stdout");
  command
      .value("--serve", arguments->port, "PORT",
             "Serve the page to this machine at http://127.0.0.1:PORT/ (default 8321) and follow the sweep")
      ->expected(0, 1)
      ->default_str("8321");
  command
      .value("--points", arguments->limits.points, "N", "Draw so many points at most, a sample of those off the front")
      ->check(whole_number(0, kMaxDrawn))
      ->capture_default_str();
  command.value("--best", arguments->limits.best, "N", "So many best points in the table")
      ->check(whole_number(1, kMaxBest))
      ->capture_default_str();
  const auto run_on = [arguments, command](const Output& o) {
    return run(*arguments, command->count("--points") + command->count("--best") > 0, o);
  };
  command.runs(
      run_on,
      "Examples:\n  heliolite report eyeriss.db\n  heliolite report eyeriss.db --serve\n  heliolite report eyeriss.db "
      "-o front.html --points 20000\n"
      "  heliolite map -a eyeriss -w resnet18 --json best.json && heliolite report best.json");
}

}  // namespace heliolite::cli

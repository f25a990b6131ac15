// heliolite report: a sweep, or an answer of map, as one HTML page that opens anywhere.
#include <fmt/format.h>
#include <heliolite/version.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/sweep/opened_store.h"
#include "cli/sweep/page_server.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/report/answer_page.h"
#include "engine/report/report_data.h"
#include "engine/report/report_page.h"
#include "engine/sweep/store.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

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

void add_report_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand("report", "A sweep, or an answer of map, as one HTML page");
  command->add_option("source", arguments->source, "Database of a sweep, running or done, or what map --json wrote")
      ->required()
      ->type_name("FILE");
  add_target_option(*command, output, "-o,--output", arguments->page,
                    "The page; without it FILE's name with .html; - = stdout");
  command
      ->add_option("--serve", arguments->port,
                   "Serve the page to this machine at http://127.0.0.1:PORT/ (default 8321) and follow the sweep")
      ->type_name("PORT")
      ->expected(0, 1)
      ->default_str("8321");
  command
      ->add_option("--points", arguments->limits.points, "Draw so many points at most, a sample of those off the front")
      ->type_name("N")
      ->check(whole_number(0, kMaxDrawn))
      ->capture_default_str();
  command->add_option("--best", arguments->limits.best, "So many best points in the table")
      ->type_name("N")
      ->check(whole_number(1, kMaxBest))
      ->capture_default_str();
  add_output_options(*command, output);
  command->footer(
      "Examples:\n  heliolite report eyeriss.db\n  heliolite report eyeriss.db --serve\n  heliolite report eyeriss.db "
      "-o front.html --points 20000\n"
      "  heliolite map -a eyeriss -w resnet18 --json best.json && heliolite report best.json");
  command->callback([&action, arguments, command] {
    const bool has_limits = command->count("--points") + command->count("--best") > 0;
    action = [arguments, has_limits](const Output& o) { return run(*arguments, has_limits, o); };
  });
}

}  // namespace heliolite::cli

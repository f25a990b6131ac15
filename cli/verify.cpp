// heliolite verify: the cost model against recorded Timeloop runs, the searches against proven optima.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/verify_optima.h"
#include "cli/verify_text.h"
#include "engine/verify/golden_verify.h"

namespace heliolite::cli {
namespace {

struct VerifyArguments {
  std::string file;
  std::string mode, id;
  std::string strategy;
  u64 limit = 0;
  u64 show = 5;
  int threads = 0;
  std::optional<double> budget;
};

Json report_json(const VerifyArguments& arguments, const VerifyReport& report, double seconds) {
  Json answer = answer_head("verify");
  answer["question"] = {
      {"file", arguments.file}, {"mode", arguments.mode}, {"id", arguments.id}, {"limit", arguments.limit}};
  answer.update(tally_json(report.total));
  Json modes = Json::object();
  for (const auto& [mode, tally] : report.by_mode) modes[mode] = tally_json(tally);
  answer["by_mode"] = modes;
  answer["skip_reasons"] = report.skip_reasons;
  answer["mismatches"] = Json::array();
  for (const Mismatch& m : report.mismatches) answer["mismatches"].push_back(mismatch_json(m));
  answer["seconds"] = seconds;
  return answer;
}

std::string report_text(const VerifyArguments& arguments, const VerifyReport& report, double elapsed) {
  Table table({"<mode", "matched", "mismatched", "skipped"});
  const auto row = [&](const std::string& name, const VerifyTally& t) {
    table.row({name, fmt::format("{}", t.matched), fmt::format("{}", t.mismatched), fmt::format("{}", t.skipped)});
  };
  for (const auto& [mode, tally] : report.by_mode) row(mode, tally);
  table.rule();
  row("all", report.total);
  std::string text = table.to_string();
  for (const auto& [reason, number] : report.skip_reasons) text += fmt::format("  skipped {}: {}\n", number, reason);
  for (const Mismatch& m : report.mismatches) text += mismatch_text(arguments.file, m);
  text += unseen_text(report.total, report.mismatches.size());
  const u64 checked = report.total.matched + report.total.mismatched;
  return text + fmt::format("  {} records checked in {}\n", checked, seconds(elapsed));
}

int run_golden(const VerifyArguments& arguments, const Output& output) {
  VerifyOptions options;
  if (!arguments.mode.empty()) options.mode = arguments.mode;
  if (!arguments.id.empty()) options.id = arguments.id;
  if (arguments.limit > 0) options.limit = arguments.limit;
  options.show = arguments.show;
  const auto start = std::chrono::steady_clock::now();
  const Result<VerifyReport> report = verify_golden(arguments.file, options);
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!report) return fail(report.errors());
  output.table(report_text(arguments, *report, elapsed));
  if (!output.json(report_json(arguments, *report, elapsed))) return kBadInput;
  return report->total.mismatched == 0 ? kSuccess : kNegative;
}

int run(const VerifyArguments& arguments, const Output& output) {
  if (!holds_optima(arguments.file)) {
    if (arguments.strategy.empty() && !arguments.budget) return run_golden(arguments, output);
    return fail(Diagnostics{{arguments.file, 0, arguments.budget ? "--budget" : "--strategy",
                             "is for records of proven optima; these are recorded runs, which need no search"}});
  }
  OptimaOptions options;
  if (!arguments.mode.empty()) options.set = arguments.mode;
  if (!arguments.id.empty()) options.id = arguments.id;
  if (!arguments.strategy.empty()) options.strategy = arguments.strategy;
  if (arguments.limit > 0) options.limit = arguments.limit;
  options.show = arguments.show;
  options.threads = arguments.threads;
  options.budget_seconds = arguments.budget;
  return run_verify_optima(arguments.file, options, output);
}

}  // namespace

void add_verify_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* command = app.add_subcommand("verify", "Check against recorded Timeloop runs or proven optima");
  command
      ->add_option("file", arguments->file,
                   "Recorded runs (arch/ and problem/ beside it) or proven optima (machines/ and workloads/)")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--mode", arguments->mode,
                   "Only records of this mode (strict, free, imperfect, link) or, of optima, set")
      ->type_name("MODE");
  command->add_option("--id", arguments->id, "Only this record; an optimum is called \"edp of gemm_a on m1_flat2\"")
      ->type_name("ID");
  command->add_option("--limit", arguments->limit, "At most N records")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000));
  command->add_option("--show", arguments->show, "Print the differences of the first N records that differ")
      ->type_name("N")
      ->check(whole_number(0, 1'000'000'000))
      ->capture_default_str();
  command->add_option("-s,--strategy", arguments->strategy, "Of optima: how to search (exact unless given)")
      ->type_name("NAME");
  command->add_option("--budget", arguments->budget, "Of optima: seconds a record")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1e9));
  command->add_option("-t,--threads", arguments->threads, "Of optima: records side by side, 0 = one for every core")
      ->type_name("N")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  add_output_options(*command, output);
  command->footer(
      "The kind of file is told by its content. Exit code 1 when a record differs.\n\nExamples:\n"
      "  heliolite verify tests/golden/golden.jsonl           recorded runs: every count, energy and cycle number\n"
      "  heliolite verify tests/golden/optima/optima.jsonl    proven optima: searched, and their mappings replayed");
  command->callback([&action, arguments] { action = [arguments](const Output& o) { return run(*arguments, o); }; });
}

}  // namespace heliolite::cli

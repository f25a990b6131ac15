// heliolite verify: the cost model against recorded Timeloop runs.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/table.h"
#include "engine/verify/golden_verify.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kDifferencesShown = 6;  // of one record

struct VerifyArguments {
  std::string file;
  std::string mode, id;
  u64 limit = 0;
  u64 show = 5;
};

Json tally_json(const VerifyTally& t) {
  return {{"matched", t.matched}, {"mismatched", t.mismatched}, {"skipped", t.skipped}};
}

Json mismatch_json(const Mismatch& m) {
  Json differences = Json::array();
  for (const Difference& d : m.differences) {
    differences.push_back({{"where", d.where}, {"expected", d.expected}, {"ours", d.ours}});
  }
  Json json = {{"id", m.id}, {"line", m.line}, {"differences", differences}};
  if (!m.refused.empty()) json["refused"] = m.refused;
  return json;
}

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

std::string mismatch_text(const std::string& file, const Mismatch& m) {
  std::string text = fmt::format("\n{}:{}: {}\n", file, m.line, m.id);
  if (!m.refused.empty()) return text + "  the mapping is refused: " + m.refused + "\n";
  Table table({"<number", "expected", "ours"});
  for (std::size_t i = 0; i < m.differences.size() && i < kDifferencesShown; ++i) {
    const Difference& d = m.differences[i];
    table.row({d.where, fmt::format("{:.12g}", d.expected), fmt::format("{:.12g}", d.ours)});
  }
  text += table.to_string();
  if (m.differences.size() > kDifferencesShown) {
    text += fmt::format("  and {} more numbers\n", m.differences.size() - kDifferencesShown);
  }
  return text;
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
  if (report.total.mismatched > report.mismatches.size() && arguments.show > 0) {
    text += fmt::format("\n{} more records differ; --show {} prints them\n",
                        report.total.mismatched - report.mismatches.size(), report.total.mismatched);
  }
  const u64 checked = report.total.matched + report.total.mismatched;
  return text + fmt::format("  {} records checked in {}\n", checked, seconds(elapsed));
}

int run(const VerifyArguments& arguments, const Output& output) {
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

}  // namespace

void add_verify_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* command = app.add_subcommand("verify", "Check the cost model against recorded Timeloop runs");
  command->add_option("file", arguments->file, "Records, one JSON object a line; arch/ and problem/ beside it")
      ->required()
      ->type_name("FILE");
  command->add_option("--mode", arguments->mode, "Only records of this mode (strict, free, imperfect, link)")
      ->type_name("MODE");
  command->add_option("--id", arguments->id, "Only this record")->type_name("ID");
  command->add_option("--limit", arguments->limit, "At most N records")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000));
  command->add_option("--show", arguments->show, "Print the differences of the first N records that differ")
      ->type_name("N")
      ->check(whole_number(0, 1'000'000'000))
      ->capture_default_str();
  add_output_options(*command, output);
  command->footer("Exit code 1 when a record differs.\n\nExample:\n  heliolite verify tests/golden/golden.jsonl");
  command->callback([&action, arguments] { action = [arguments](const Output& o) { return run(*arguments, o); }; });
}

}  // namespace heliolite::cli

// heliolite verify: the cost model against recorded Timeloop runs, the searches against proven optima.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "cli/verify/verify_optima.h"
#include "engine/base/file_claims.h"
#include "engine/base/mapped.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/option_kinds.h"
#include "engine/verify/golden_verify.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

struct VerifyArguments {
  std::vector<std::string> paths;
  std::string mode, id;
  SearchArguments search;  // of optima
  u64 limit = 0;
  u64 show = 5;
  int threads = 0;

  RecordSelection selection() const {
    const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
    return {given(mode), given(id), limit > 0 ? std::optional(limit) : std::nullopt, show};
  }
};

Json report_json(const std::string& file, const RecordSelection& selection, const VerifyReport& report,
                 double seconds) {
  Json answer;
  answer["question"] = selection_json(file, selection);
  answer.update(tally_json(report.total));
  Json modes = Json::object();
  for (const auto& [mode, tally] : report.by_mode) modes[mode] = tally_json(tally);
  answer["by_mode"] = modes;
  answer["skip_reasons"] = report.skip_reasons;
  answer["mismatches"] = mapped(report.mismatches, mismatch_json);
  answer["seconds"] = seconds;
  return answer;
}

std::string report_text(const std::string& file, const VerifyReport& report, double elapsed) {
  Table table({"<mode", "matched", "mismatched", "skipped"});
  const auto row = [&](const std::string& name, const VerifyTally& t) {
    table.row({name, fmt::format("{}", t.matched), mismatched_text(t, fmt::format("{}", t.mismatched)),
               fmt::format("{}", t.skipped)});
  };
  for (const auto& [mode, tally] : report.by_mode) row(mode, tally);
  table.rule();
  row("all", report.total);
  std::string text = table.to_string();
  for (const auto& [reason, number] : report.skip_reasons) text += fmt::format("  skipped {}: {}\n", number, reason);
  for (const Mismatch& m : report.mismatches) text += mismatch_text(file, m);
  text += unseen_text(report.total, report.mismatches.size());
  const u64 checked = report.total.matched + report.total.mismatched;
  return text + fmt::format("  {} records checked in {}\n", checked, seconds(elapsed));
}

Result<VerifiedFile> check_golden(const std::string& file, const RecordSelection& selection) {
  const Stopwatch clock;
  const Result<VerifyReport> report = verify_golden(file, selection);
  const double elapsed = clock.seconds();
  if (!report) return report.errors();
  return VerifiedFile{report_text(file, *report, elapsed), report_json(file, selection, *report, elapsed),
                      report->total};
}

Result<VerifiedFile> check(const std::string& file, const VerifyArguments& arguments, const Output& output) {
  SearchOptions search;
  arguments.search.apply(search);
  const RecordSelection selection = arguments.selection();
  if (holds_forge_cases(file))
    return check_forge(file, {selection, arguments.threads, search.budget_seconds, nullptr, {}}, output);
  if (!holds_optima(file)) {
    const auto given = arguments.search.given();
    if (given.empty()) return check_golden(file, selection);
    return Diagnostic{file, 0, fmt::format("--{}", given.front().option->name),
                      "is for records of proven optima; these are recorded runs, which need no search"};
  }
  return check_optima(file, {selection, search.strategy, arguments.threads, search.budget_seconds, nullptr, {}},
                      output);
}

// Files as they are, of folders the .jsonl files in them, by name. Errors: a folder without any.
Result<std::vector<std::string>> record_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  Diagnostics errors;
  for (const std::string& path : paths) {
    std::error_code problem;
    if (!fs::is_directory(path, problem)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (auto at = fs::directory_iterator(path, problem); !problem && at != fs::end(at); at.increment(problem))
      if (at->path().extension() == ".jsonl") found.push_back(at->path().string());
    if (problem) errors.push_back({path, 0, "", "cannot be read: " + problem.message()});
    else if (found.empty()) errors.push_back({path, 0, "", "the folder holds no records, files called .jsonl"});
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  if (!errors.empty()) return errors;
  return files;
}

// One file's answer as it is; of several, all together and one by one.
Json answer_json(const VerifyArguments& arguments, const VerifyTally& total, Json files) {
  Json answer = answer_head("verify");
  if (files.size() == 1) {
    answer.update(files[0]);
    return answer;
  }
  answer["question"] = {{"paths", arguments.paths}};
  answer.update(tally_json(total));
  answer["files"] = std::move(files);
  return answer;
}

int run(const VerifyArguments& arguments, const Output& output) {
  const Result<std::vector<std::string>> files = record_files(arguments.paths);
  if (!files) return fail(files.errors());
  // Before the first one, which may take long.
  Diagnostics taken;
  for (const std::string& file : *files)
    for (const Diagnostic& problem : FileClaims::of_program().read(file)) taken.push_back(problem);
  if (!taken.empty()) return fail(taken);
  const std::atomic<bool>& interrupted = interrupt_flag();
  VerifyTally total;
  Json answers = Json::array();
  Diagnostics errors;
  for (const std::string& file : *files) {
    if (interrupted) break;
    Result<VerifiedFile> one = check(file, arguments, output);
    if (!one) {
      errors.insert(errors.end(), one.errors().begin(), one.errors().end());
      continue;
    }
    output.table(files->size() == 1 ? one->text : fmt::format("{}\n\n{}\n", file, one->text));
    total.matched += one->total.matched;
    total.mismatched += one->total.mismatched;
    total.skipped += one->total.skipped;
    answers.push_back(std::move(one->answer));
  }
  if (!errors.empty()) return fail(errors);
  if (files->size() > 1)
    output.table(fmt::format("{} files: {} records matched, {} mismatched, {} skipped\n", answers.size(), total.matched,
                             total.mismatched, total.skipped));
  if (!output.json(answer_json(arguments, total, std::move(answers)))) return kBadInput;
  if (interrupted) {
    output.note("heliolite: interrupted, records that were not searched are skipped");
    return kInterrupted;
  }
  return total.mismatched == 0 ? kSuccess : kNegative;
}

}  // namespace

void add_verify_command(CommandLine& line) {
  auto arguments = std::make_shared<VerifyArguments>();
  const Command command(line, "verify", "Check against recorded runs of Timeloop or AccelForge, or proven optima");
  command
      .value("files", arguments->paths, "FILE",
             "Recorded runs (arch/ and problem/ beside them), proven optima (machines/ and workloads/) or "
             "recorded results of AccelForge; of a folder all its .jsonl files")
      ->required();
  command.value(
      "--mode", arguments->mode, "MODE",
      "Only records of this mode (strict, free, imperfect, link; true counts: residual, perfect) or, of optima, "
      "set, of AccelForge's results machine");
  command.value("--id", arguments->id, "ID", "Only this record; an optimum is called \"edp of gemm_a on m1_flat2\"");
  command.value("--limit", arguments->limit, "N", "At most N records")->check(whole_number(1, 1'000'000'000));
  command.value("--show", arguments->show, "N", "Print the differences of the first N records that differ")
      ->check(whole_number(0, 1'000'000'000))
      ->capture_default_str();
  arguments->search.add_to(*command, {"strategy", "budget"}, "Of optima: ");
  command.value("-t,--threads", arguments->threads, "N", "Of optima: records side by side, 0 = one for every core")
      ->check(whole_number(0, kMaxThreads))
      ->capture_default_str();
  command.runs(
      arguments, run,
      "The kind of file is told by its content. Options count for each file. Exit code 1 when a record "
      "differs.\n\nExamples:\n"
      "  heliolite verify tests/golden/golden.jsonl           recorded runs: every count, energy and cycle number\n"
      "  heliolite verify tests/golden/optima/optima.jsonl    proven optima: searched, and their mappings replayed\n"
      "  heliolite verify tests/golden tests/golden/optima    every .jsonl file of these folders");
}

}  // namespace heliolite::cli

#include "cli/verify/verify_optima.h"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/lines.h"
#include "cli/ui/progress.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/search/core/budget.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kDifferencesShown = 6;  // of one record

}  // namespace

std::string mismatched_text(const VerifyTally& t, const std::string& number) {
  return t.mismatched == 0 ? number : painted(number, Tone::Bad);
}

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

std::string unseen_text(const VerifyTally& total, std::size_t shown) {
  if (shown == 0 || total.mismatched <= shown) return "";
  return fmt::format("\n{} more records differ; --show {} prints them\n", total.mismatched - shown, total.mismatched);
}

namespace {

using Tallies = std::map<std::string, OptimaTally>;

std::string report_text(const std::string& file, const OptimaReport& report, double elapsed) {
  Table table({"<by", "<", "matched", "mismatched", "skipped", "proven", "time"});
  const auto row = [&](const char* by, const std::string& name, const OptimaTally& t) {
    table.row({by, name.empty() ? "(none)" : name, grouped(t.matched), mismatched_text(t, grouped(t.mismatched)),
               grouped(t.skipped), grouped(t.proven), seconds(t.seconds)});
  };
  const auto rows = [&](const char* by, const Tallies& tallies) {
    for (const auto& [name, tally] : tallies) row(std::exchange(by, ""), name, tally);
    table.rule();
  };
  rows("set", report.by_set);
  rows("machine", report.by_machine);
  rows("objective", report.by_objective);
  row("all", "records", report.total);
  std::string text = table.to_string();
  for (const auto& [reason, number] : report.skip_reasons) text += fmt::format("  skipped {}: {}\n", number, reason);
  for (const auto& [note, number] : report.notes) text += fmt::format("  {} records: {}\n", number, note);
  for (const Mismatch& m : report.mismatches) text += mismatch_text(file, m);
  text += unseen_text(report.total, report.mismatches.size());
  text += fmt::format("  {} records searched in {}", report.total.matched + report.total.mismatched, seconds(elapsed));
  if (!report.slowest_id.empty())
    text += fmt::format("; the slowest, {}, took {}", report.slowest_id, seconds(report.slowest_seconds));
  return text + "\n";
}

Json to_json(const OptimaTally& tally) {
  Json json = tally_json(tally);
  json["proven"] = tally.proven;
  json["seconds"] = tally.seconds;
  return json;
}

Json to_json(const Tallies& tallies) {
  Json json = Json::object();
  for (const auto& [name, tally] : tallies) json[name] = to_json(tally);
  return json;
}

Json report_json(const std::string& file, const OptimaOptions& options, const OptimaReport& report, double elapsed) {
  Json answer;
  answer["question"] = {{"file", file},
                        {"mode", options.set.value_or("")},
                        {"id", options.id.value_or("")},
                        {"limit", options.limit.value_or(0)},
                        {"strategy", name(options.strategy)},
                        {"threads", options.threads}};
  answer.update(tally_json(report.total));
  answer["proven"] = report.total.proven;
  answer["by_set"] = to_json(report.by_set);
  answer["by_machine"] = to_json(report.by_machine);
  answer["by_objective"] = to_json(report.by_objective);
  answer["skip_reasons"] = report.skip_reasons;
  answer["notes"] = report.notes;
  answer["mismatches"] = Json::array();
  for (const Mismatch& m : report.mismatches) answer["mismatches"].push_back(mismatch_json(m));
  answer["slowest"] = {{"id", report.slowest_id}, {"seconds", report.slowest_seconds}};
  answer["search_seconds"] = report.total.seconds;
  answer["seconds"] = elapsed;
  return answer;
}

}  // namespace

Result<VerifiedFile> check_optima(const std::string& file, OptimaOptions options, const Output& output) {
  options.stop = &interrupt_flag();
  const Stopwatch clock;
  const Result<OptimaReport> report = [&] {
    std::optional<Progress> progress;
    options.progress = [&](u64 done, u64 of, u64 mismatched) {
      if (!progress) progress.emplace(output, "records", of);
      progress->update(done, mismatched == 0 ? "" : fmt::format("{} mismatched", mismatched));
    };
    return verify_optima(file, options);
  }();
  const double elapsed = clock.seconds();
  if (!report) return report.errors();
  return VerifiedFile{report_text(file, *report, elapsed), report_json(file, options, *report, elapsed), report->total};
}

}  // namespace heliolite::cli

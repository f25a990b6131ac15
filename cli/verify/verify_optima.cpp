#include "cli/verify/verify_optima.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "cli/ui/lines.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/search/core/budget.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kDifferencesShown = 6;  // of one record

}  // namespace

std::string mismatched_text(const VerifyTally& t, const std::string& number) {
  return t.mismatched == 0 ? number : painted(number, Tone::Bad);
}

Json selection_json(const std::string& file, const RecordSelection& selection) {
  return {{"file", file},
          {"mode", selection.group.value_or("")},
          {"id", selection.id.value_or("")},
          {"limit", selection.limit.value_or(0)}};
}

Json tally_json(const VerifyTally& t) {
  return {{"matched", t.matched}, {"mismatched", t.mismatched}, {"skipped", t.skipped}};
}

Json mismatch_json(const Mismatch& m) {
  Json differences = Json::array();
  for (const Difference& d : m.differences)
    differences.push_back({{"where", d.where}, {"expected", d.expected}, {"ours", d.ours}});
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
  if (m.differences.size() > kDifferencesShown)
    text += fmt::format("  and {} more numbers\n", m.differences.size() - kDifferencesShown);
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
  answer["question"] = selection_json(file, options);
  answer["question"].update({{"strategy", name(options.strategy)}, {"threads", options.threads}});
  answer.update(tally_json(report.total));
  answer["proven"] = report.total.proven;
  answer["by_set"] = to_json(report.by_set);
  answer["by_machine"] = to_json(report.by_machine);
  answer["by_objective"] = to_json(report.by_objective);
  answer["skip_reasons"] = report.skip_reasons;
  answer["notes"] = report.notes;
  answer["mismatches"] = mapped(report.mismatches, mismatch_json);
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

// `heliolite verify` on a file of AccelForge's recorded results.

namespace {

std::string short_number(double value) { return fmt::format("{:.6g}", value); }

// Where the energies of the first cases that differ do: "MainMemory 2.1e-06 -> 1.9e-06".
std::string parts_text(const std::vector<ForgeComparison>& all, u64 most) {
  std::string text;
  for (const ForgeComparison& c : all) {
    if (c.verdict == ForgeVerdict::Equal || c.parts.empty() || most == 0) continue;
    --most;
    std::vector<std::string> parts;
    for (const ForgePart& p : c.parts)
      parts.push_back(fmt::format("{} {:.4g} -> {:.4g}", p.component, p.energy, p.our_energy));
    text += fmt::format("  {} [J]: {}\n", c.id, fmt::join(parts, ", "));
  }
  return text;
}

std::string forge_text(const std::string& file, const std::vector<ForgeComparison>& all, u64 shown, double elapsed) {
  Table table({"<case", "energy [J]", "ours", "latency [s]", "ours", "<", "proven", "counts", "groups", "time"});
  std::map<std::string_view, u64> verdicts;
  std::map<std::string, u64> notes;
  u64 proven = 0, counts = 0, equal = 0;
  for (const ForgeComparison& c : all) {
    ++verdicts[name(c.verdict)];
    proven += c.optimal ? 1 : 0, counts += c.actions, equal += c.equal_actions;
    for (const std::string& note : c.notes) ++notes[fmt::format("{}: {}", c.machine, note)];
    const bool found = c.verdict != ForgeVerdict::Refused && c.verdict != ForgeVerdict::Skipped;
    const std::string verdict(name(c.verdict));
    table.row(
        {c.id, short_number(c.energy), found ? short_number(c.our_energy) : "", short_number(c.latency),
         found ? short_number(c.our_latency) : "",
         c.verdict == ForgeVerdict::Above || c.verdict == ForgeVerdict::Refused ? painted(verdict, Tone::Bad) : verdict,
         !found      ? ""
         : c.optimal ? "yes"
                     : "no",
         c.actions == 0 ? "" : fmt::format("{}/{}", c.equal_actions, c.actions),
         c.groups == 0 ? "" : fmt::format("{}", c.groups), seconds(c.seconds)});
  }
  std::string text = table.to_string();
  text += parts_text(all, shown);
  for (const auto& [note, number] : notes) text += fmt::format("  {} cases: {}\n", number, note);
  for (const ForgeComparison& c : all)
    for (const Diagnostic& why : c.why) text += fmt::format("{}: {}: {}\n", file, c.id, why.to_string());
  std::vector<std::string> parts;
  for (const auto& [verdict, number] : verdicts) parts.push_back(fmt::format("{} {}", number, verdict));
  return text + fmt::format(
                    "  {} cases: {}; {} of our answers proven; {} of {} recorded counts are those of our best "
                    "unfused mappings; {}\n",
                    all.size(), fmt::join(parts, ", "), proven, equal, counts, seconds(elapsed));
}

Json forge_json(const std::string& file, const ForgeOptions& options, const std::vector<ForgeComparison>& all,
                double elapsed) {
  Json answer;
  answer["question"] = selection_json(file, options);
  Json cases = Json::array();
  for (const ForgeComparison& c : all) {
    Json one = {{"id", c.id},
                {"verdict", name(c.verdict)},
                {"energy_J", c.energy},
                {"latency_s", c.latency},
                {"our_energy_J", c.our_energy},
                {"our_latency_s", c.our_latency},
                {"proven", c.optimal},
                {"groups", c.groups},
                {"counts", c.actions},
                {"equal_counts", c.equal_actions},
                {"notes", c.notes},
                {"seconds", c.seconds}};
    Json& parts = one["energy_parts"] = Json::array();
    for (const ForgePart& p : c.parts)
      parts.push_back({{"component", p.component}, {"energy_J", p.energy}, {"our_energy_J", p.our_energy}});
    if (!c.why.empty()) one["refused"] = to_string(c.why);
    cases.push_back(std::move(one));
  }
  answer["cases"] = std::move(cases);
  answer["seconds"] = elapsed;
  return answer;
}

}  // namespace

Result<VerifiedFile> check_forge(const std::string& file, ForgeOptions options, const Output& output) {
  options.stop = &interrupt_flag();
  const Stopwatch clock;
  const Result<std::vector<ForgeComparison>> all = [&] {
    std::optional<Progress> progress;
    options.progress = [&](u64 done, u64 of) {
      if (!progress) progress.emplace(output, "cases", of);
      progress->update(done, "");
    };
    return verify_forge(file, options);
  }();
  const double elapsed = clock.seconds();
  if (!all) return all.errors();
  VerifiedFile out{forge_text(file, *all, options.show, elapsed), forge_json(file, options, *all, elapsed), {}};
  for (const ForgeComparison& c : *all)
    ++(c.verdict == ForgeVerdict::Skipped                                     ? out.total.skipped
       : c.verdict == ForgeVerdict::Equal || c.verdict == ForgeVerdict::Below ? out.total.matched
                                                                              : out.total.mismatched);
  out.answer.update(tally_json(out.total));
  return out;
}

}  // namespace heliolite::cli

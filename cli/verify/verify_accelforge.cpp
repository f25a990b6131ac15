// `heliolite verify` on a file of AccelForge's recorded results.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/lines.h"
#include "cli/ui/progress.h"
#include "cli/ui/table.h"
#include "cli/verify/verify_optima.h"
#include "engine/base/text.h"
#include "engine/search/core/budget.h"

namespace heliolite::cli {
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
  answer["question"] = {{"file", file},
                        {"mode", options.machine.value_or("")},
                        {"id", options.id.value_or("")},
                        {"limit", options.limit.value_or(0)}};
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

Result<VerifiedFile> check_forge(const std::string& file, ForgeOptions options, u64 shown, const Output& output) {
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
  VerifiedFile out{forge_text(file, *all, shown, elapsed), forge_json(file, options, *all, elapsed), {}};
  for (const ForgeComparison& c : *all)
    ++(c.verdict == ForgeVerdict::Skipped                                     ? out.total.skipped
       : c.verdict == ForgeVerdict::Equal || c.verdict == ForgeVerdict::Below ? out.total.matched
                                                                              : out.total.mismatched);
  out.answer.update(tally_json(out.total));
  return out;
}

}  // namespace heliolite::cli

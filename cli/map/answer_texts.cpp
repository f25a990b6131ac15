#include "cli/map/answer_texts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/bounds/curve/orojenesis.h"

namespace heliolite::cli {

int write_partial_answer(const Output& output, Json& answer, std::size_t done, std::size_t of, const char* parts,
                         int code) {
  const bool interrupted = done < of;
  answer["interrupted"] = interrupted;
  if (!output.json(answer)) return kBadInput;
  if (!interrupted) return code;
  output.note(fmt::format("heliolite: interrupted after {} of {} {}", done, of, parts));
  return kInterrupted;
}

namespace {

std::vector<std::string> cells(const LevelBound& level, const Workload& workload) {
  const auto& [boundary, least] = level;
  return {boundary.level, boundary.capacity_words ? grouped(*boundary.capacity_words) : "unbounded", grouped(least),
          fmt::format("{:.4g}", intensity(workload.macs(), least))};
}

std::vector<std::string> cells(const LevelDistance& level, const Workload& workload) {
  std::vector<std::string> row = cells(level.bound, workload);
  row.insert(row.end(),
             {grouped(level.mapping.words), grouped(level.mapping.accesses), fmt::format("{:.3f}", level.ratio())});
  return row;
}

const Boundary& boundary_of(const LevelBound& level) { return level.boundary; }
const Boundary& boundary_of(const LevelDistance& level) { return level.bound.boundary; }

template <class Level>
std::string table_of(std::span<const Level> levels, const Workload& workload) {
  const WordUnit unit = levels.empty() ? WordUnit{} : boundary_of(levels.front()).unit;
  Table table({"<outside level", fmt::format("{} inside", unit.name()), "accesses at least",
               fmt::format("MACs/{} at most", unit.one()), "mapping holds", "moves", "x bound"});
  for (const Level& level : levels) table.row(cells(level, workload));
  return table.to_string() + fmt::format(
                                 "  No mapping moves less, however many levels are inside; {} of all instances, "
                                 "operands of units included.\n",
                                 unit.name());
}

// "" before any level.
std::string level_of(const WitnessEvent& event, const Architecture& architecture) {
  return event.level < 0 ? "" : architecture.levels[event.level].name;
}

std::string rule_of(const WitnessEvent& event) {
  return event.rule ? std::string(kRuleTable[at(*event.rule)].name) : "";
}

// "lattice-bound at GLB (tile): nothing below 1.2e9, and a mapping of 1.1e9 is known".
std::string sentence(const WitnessEvent& event, const Architecture& architecture) {
  const std::string level = level_of(event, architecture);
  const std::string where = level.empty() ? "" : " at " + level;
  if (!event.rule) return fmt::format("left out{}: {}", where, event.what);
  const std::string head = fmt::format("{}{} ({})", rule_of(event), where, event.what);
  if (event.bound)
    return fmt::format("{}: nothing that begins like this is below {:.7g}, and {:.7g} is known", head, *event.bound,
                       *event.limit);
  if (event.stand_in) return fmt::format("{}: with the same outer loops that costs {:.7g}", head, *event.stand_in);
  return head;
}

}  // namespace

std::string level_table(std::span<const LevelBound> levels, const Workload& workload) {
  return table_of(levels, workload);
}

std::string level_table(std::span<const LevelDistance> levels, const Workload& workload) {
  return table_of(levels, workload);
}

std::string repeated_tensors(const Workload& workload) {
  std::string text;
  for (const Tensor& t : workload.tensors)
    if (t.access_of) text += fmt::format("; {} and {} are one tensor", workload.tensors[*t.access_of].name, t.name);
  return text;
}

Json level_bound_json(const LevelBound& level, const std::string& tiles) {
  const auto& capacity = level.boundary.capacity_words;
  return {{"kind", kNestedCurve},
          {"level", level.boundary.level},
          {"unit", level.boundary.unit.name()},
          {"capacity_words", capacity ? Json(*capacity) : Json()},
          {"words", level.least},
          {"holds_under", kAnyMapping + tiles}};
}

Json level_bound_json(const LevelDistance& level, const std::string& tiles) {
  Json json = level_bound_json(level.bound, tiles);
  json["mapping"] = {{"words_held", level.mapping.words},
                     {"words", level.mapping.accesses},
                     {"least_for_words_held", level.least_for_held},
                     {"distance", level.ratio()}};
  return json;
}

std::string evaluator_text(const NetworkResult& result, const EvaluatorOptions& evaluator) {
  if (evaluator.command.empty()) return "";
  std::string text =
      fmt::format("\n  Value from {} (lower is better; the table has our cost model's numbers):\n", evaluator.command);
  for (const LayerResult& layer : result.layers) {
    if (!layer.result.evaluator) continue;
    const EvaluatorReport& report = *layer.result.evaluator;
    const bool found = layer.result.status != Status::Infeasible;
    text += fmt::format("    {}: {}, {} evaluations, {} failures, {} repeated{}\n", layer.name,
                        found ? fmt::format("{:.10g}", report.value) : "none", grouped(report.evaluations),
                        grouped(report.failures), grouped(report.repeated),
                        report.failures == 0 ? "" : "; the first failure: " + report.first_failure);
  }
  return text;
}

Json evaluator_json(const MappingResult& layer, const EvaluatorOptions& evaluator) {
  if (!layer.evaluator) return nullptr;
  Json out = to_json(*layer.evaluator, layer.status != Status::Infeasible);
  out["command"] = evaluator.command;
  out["protocol"] = name(evaluator.protocol);
  return out;
}

std::string witness_text(const WitnessReport& report, Objective objective, double value,
                         const Architecture& architecture) {
  std::string text = fmt::format("\n  Witness: {} {:.7g}, the answer {:.7g}; what removed it:\n",
                                 heliolite::title(objective), report.value, value);
  for (const WitnessEvent& event : report.events) text += fmt::format("    {}\n", sentence(event, architecture));
  if (report.kept)
    text += fmt::format("    {}kept to the end: as good as the answer\n", report.events.empty() ? "none, " : "");
  else if (report.events.empty() || report.events.back().stand_in)
    text += "    priced at the end: the answer is better\n";
  return text;
}

Json witness_json(const std::optional<WitnessReport>& report, const Architecture& architecture) {
  if (!report) return nullptr;
  const auto number = [](const std::optional<double>& x) { return x ? Json(*x) : Json(); };
  Json events = Json::array();
  for (const WitnessEvent& event : report->events)
    events.push_back({{"level", event.level < 0 ? Json() : Json(level_of(event, architecture))},
                      {"rule", event.rule ? Json(rule_of(event)) : Json()},
                      {"what", event.what},
                      {"bound", number(event.bound)},
                      {"limit", number(event.limit)},
                      {"stand_in", number(event.stand_in)}});
  return {{"value", report->value},
          {"energy_pj", report->cost.energy.picojoules()},
          {"cycles", report->cost.cycles},
          {"kept", report->kept},
          {"events", events},
          {"errors", report->errors}};
}

Diagnostics witness_errors(const WitnessReport& report) {
  Diagnostics out;
  for (const std::string& error : report.errors) out.push_back({"", 0, "", "error of the program: " + error});
  return out;
}

std::string not_proven_text(std::span<const NotProven> layers) {
  constexpr std::size_t kMostNames = 6;
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const NotProven& layer : layers) {
    if (layer.why.empty()) continue;
    auto reason = std::ranges::find(reasons, layer.why, [](const auto& r) { return r.first; });
    if (reason == reasons.end()) reason = reasons.insert(reasons.end(), {layer.why, {}});
    reason->second.push_back(layer.layer);
  }
  std::string text;
  for (const auto& [why, names] : reasons)
    text += fmt::format("  Not proven: {}: {}.\n",
                        names.size() <= kMostNames ? join(names) : fmt::format("{} layers", names.size()), why);
  return text.empty() ? text : "\n" + text;
}

}  // namespace heliolite::cli

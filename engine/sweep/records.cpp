#include "engine/sweep/records.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/text.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_yaml.h"

namespace heliolite {

namespace {

// Without the head, which names the workload; what begins with the compute unit if there are several.
std::string mapping_text(const Mapping& mapping, const Workload& workload, const Architecture& machine) {
  const std::string document = write_mapping(mapping, workload, machine);
  const std::size_t unit = document.find("\nunit:");
  return document.substr((unit == std::string::npos ? document.find("\nmapping:") : unit) + 1);
}

// In words of the outermost level, as layers of a point are added up. Of bytes and bits: the least rounded down, what
// moves up.
void add_movement(LayerRecord& record, const LevelDistance& level, WordLength word_bits) {
  const WordUnit& unit = level.bound.boundary.unit;
  record.words_moved = level.mapping.accesses;
  record.least_words = level.bound.least;
  if (unit.counts_words()) return;
  record.words_moved = unit.bits.in_units_up(word_bits, record.words_moved);
  record.least_words = unit.bits.in_units(word_bits, record.least_words);
}

}  // namespace

std::string breakdown_text(const Workload& workload, const Breakdown& breakdown) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (auto level = breakdown.level.rbegin(); level != breakdown.level.rend(); ++level) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::object();
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      const Energy energy = level->energy_of(v);
      if (energy.units > 0) parts[workload.tensors[v].name] = energy.picojoules();
    }
    if (level->leakage.units > 0) parts["leakage"] = level->leakage.picojoules();
    out[level->name] = std::move(parts);
  }
  out["compute"] = breakdown.compute.energy.picojoules();
  return out.dump();
}

LayerRecord layer_record(const SweepLayer& layer, const Architecture& all_units, const MappingResult& result,
                         MovementBound& bound, std::string question) {
  const Architecture& machine = all_units.chain(result.unit);
  LayerRecord record;
  record.question = std::move(question);
  record.status = name(result.status);
  record.evaluated = result.statistics.evaluated;
  record.seconds = result.seconds;
  if (result.status == Status::Infeasible) {
    record.reason = to_string(result.why_infeasible);
  } else {
    record.reason = result.why_not_proven;
    record.energy_pj = result.cost.energy.picojoules();
    record.cycles = static_cast<double>(result.cost.cycles);
    record.value = result.value;
    record.lower_bound = result.lower_bound;
    record.utilization = result.utilization;
    const Workload& workload = layer.layer.workload;
    const Breakdown breakdown = CostModel(workload, machine).explain(result.mapping);
    const auto levels = bound.distances(workload, machine, result.mapping, breakdown);
    if (levels && !levels->empty()) add_movement(record, levels->back(), machine.levels.back().word_bits);
    record.mapping = mapping_text(result.mapping, workload, machine);
    record.breakdown = breakdown_text(workload, breakdown);
  }
  record.workload = layer.workload;
  record.name = layer.layer.workload.name;
  record.count = layer.layer.count;
  record.weight = layer.weight;
  return record;
}

LayerRecord reused(LayerRecord answer, const SweepLayer& layer) {
  answer.workload = layer.workload;
  answer.name = layer.layer.workload.name;
  answer.count = layer.layer.count;
  answer.weight = layer.weight;
  answer.seconds = 0;
  return answer;
}

std::string field_text(u64 field) { return fmt::format("{}", field); }
std::string field_text(double field) { return fmt::format("{}", field); }
std::string field_text(const std::optional<double>& field) { return field ? field_text(*field) : std::string(); }
std::string field_text(const std::string& field) { return field; }
std::string field_text(PointState field) { return std::string(name(field)); }
std::string field_text(const std::vector<std::string>& field) { return join(field); }

std::string list_text(const std::vector<std::string>& list) {
  return nlohmann::json(list).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<std::vector<std::string>> read_list(const std::string& text) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> out;
  for (const nlohmann::json& element : list) {
    if (!element.is_string()) return std::nullopt;
    out.push_back(element.get<std::string>());
  }
  return list.is_array() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace heliolite

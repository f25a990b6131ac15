#include "cli/map/level_bounds.h"

#include <fmt/format.h>

#include <vector>

#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/bounds/curve/orojenesis.h"

namespace heliolite::cli {
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

}  // namespace heliolite::cli

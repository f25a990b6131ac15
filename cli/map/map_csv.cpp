#include "cli/map/map_csv.h"

#include <fmt/format.h>

#include <vector>

#include "cli/ui/figures.h"
#include "cli/ui/json.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

std::string csv_line(const std::vector<std::string>& cells) {
  std::vector<std::string> quoted;
  for (const std::string& cell : cells) quoted.push_back(csv_cell(cell));
  return fmt::format("{}\n", fmt::join(quoted, ","));
}

std::string shortest(double number) { return fmt::format("{}", number); }

// Energies of a layer's levels, outermost first, then of compute.
std::vector<std::string> energies_by_level(const Breakdown& layer) {
  NetworkBreakdown one;
  one.add(layer, 1);
  std::vector<std::string> cells;
  for (const LevelTotal& level : one.levels) cells.push_back(shortest(level.energy().picojoules()));
  cells.push_back(shortest(one.compute.picojoules()));
  return cells;
}

}  // namespace

std::string map_csv(const MapAnswer& answer) {
  std::vector<std::string> heading{"layer",       "count", "macs",        "energy_pj",    "cycles",    "edp_pj_cycles",
                                   "utilization", "value", "lower_bound", "status",       "evaluated", "search_seconds",
                                   "seconds",     "watts", "tops",        "tops_per_watt"};
  const std::size_t numbers = heading.size();
  for (auto level = answer.architecture.levels.rbegin(); level != answer.architecture.levels.rend(); ++level)
    heading.push_back(level->name + "_pj");
  heading.push_back(answer.architecture.compute.name + "_pj");
  std::string text = csv_line(heading);
  for (std::size_t i = 0; i < answer.result.layers.size(); ++i) {
    const LayerResult& layer = answer.result.layers[i];
    const MappingResult& r = layer.result;
    const u64 macs = answer.network.layers[i].workload.macs();
    const std::string status{name(r.status)}, evaluated = fmt::format("{}", r.statistics.evaluated);
    std::vector<std::string> row{layer.name, fmt::format("{}", layer.count), fmt::format("{}", macs)};
    if (!answer.breakdowns[i]) {
      row.insert(row.end(), {"", "", "", "", "", "", status, evaluated, shortest(r.seconds)});
      row.resize(heading.size());
      text += csv_line(row);
      continue;
    }
    const double pj = r.cost.energy.picojoules();
    row.insert(row.end(), {shortest(pj), fmt::format("{}", r.cost.cycles), shortest(edp(r.cost.energy, r.cost.cycles)),
                           shortest(r.utilization), shortest(r.value), r.lower_bound > 0 ? shortest(r.lower_bound) : "",
                           status, evaluated, shortest(r.seconds)});
    const auto speed = rates({pj, static_cast<double>(r.cost.cycles), static_cast<double>(macs)}, answer.architecture);
    if (speed)
      row.insert(row.end(), {shortest(speed->seconds), shortest(speed->watts), shortest(speed->tops),
                             shortest(speed->tops_per_watt)});
    row.resize(numbers);
    for (std::string& cell : energies_by_level(*answer.breakdowns[i])) row.push_back(std::move(cell));
    text += csv_line(row);
  }
  return text;
}

}  // namespace heliolite::cli

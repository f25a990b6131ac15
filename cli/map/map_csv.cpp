// The answer of `heliolite map` as comma-separated values.
#include "cli/map/map_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "arch/compute_units.h"
#include "cli/ui/figures.h"
#include "cli/ui/json.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

std::string csv_line(const std::vector<std::string>& cells) {
  std::vector<std::string> quoted;
  for (const std::string& cell : cells) quoted.push_back(csv_cell(cell));
  return fmt::format("{}\n", fmt::join(quoted, ","));
}

std::string shortest(double number) { return fmt::format("{}", number); }

// Names that occur in the network's layers, each once, in the order in which they come.
void add_names(std::vector<std::string>& names, const auto& things) {
  for (const auto& thing : things)
    if (std::ranges::find(names, thing.name) == names.end()) names.push_back(thing.name);
}

// Columns that say more of a layer than its totals: the sizes of its dimensions, and by level and tensor the words that
// all instances read and write, and the energy of these, of their addresses and of the network below.
class Details {
 public:
  explicit Details(const MapAnswer& answer) {
    for (const Layer& layer : answer.network.layers) {
      add_names(dimensions_, layer.workload.dimensions);
      add_names(tensors_, layer.workload.tensors);
    }
    for (const StorageLevel* level : all_levels(answer.architecture)) levels_.push_back(level->name);
  }

  std::vector<std::string> heading() const {
    std::vector<std::string> out;
    for (const std::string& dimension : dimensions_) out.push_back("size_" + dimension);
    for (const std::string& level : levels_) {
      for (const std::string& tensor : tensors_)
        for (const char* what : {"words_read", "words_written", "pj"})
          out.push_back(fmt::format("{}_{}_{}", level, tensor, what));
      out.push_back(level + "_static_pj");
    }
    return out;
  }

  // The cells of a layer; without a breakdown only its sizes.
  std::vector<std::string> cells(const Workload& workload, const std::optional<Breakdown>& breakdown) const {
    std::vector<std::string> out;
    for (const std::string& name : dimensions_) {
      const auto dimension = std::ranges::find(workload.dimensions, name, &Dimension::name);
      out.push_back(dimension == workload.dimensions.end() ? "" : fmt::format("{}", dimension->size));
    }
    if (!breakdown) return out;
    for (const std::string& level_name : levels_) {
      const auto level = std::ranges::find(breakdown->level, level_name, &LevelBreakdown::name);
      if (level == breakdown->level.end()) {
        out.insert(out.end(), 3 * tensors_.size() + 1, "");
        continue;
      }
      for (const std::string& name : tensors_) {
        const auto tensor = std::ranges::find(workload.tensors, name, &Tensor::name);
        const std::size_t v = at(tensor - workload.tensors.begin());
        if (tensor == workload.tensors.end() || !shows(*level, v)) {
          out.insert(out.end(), 3, "");
          continue;
        }
        const TensorTraffic& t = level->tensor[v];
        out.insert(out.end(), {fmt::format("{}", t.all.reads), fmt::format("{}", t.all.fills + t.all.updates),
                               shortest(level->energy_of(v).picojoules())});
      }
      out.push_back(shortest(level->leakage.picojoules()));
    }
    return out;
  }

 private:
  static bool shows(const LevelBreakdown& level, std::size_t v) {
    return level.tensor[v].counted() || level.network[v].energy.units > 0;
  }

  std::vector<std::string> dimensions_, tensors_, levels_;
};

// Energies of a layer by level, then by compute unit; empty where the layer's unit has no such level.
std::vector<std::string> energies_by_level(const Breakdown& layer, const Architecture& machine) {
  NetworkBreakdown one;
  one.add(layer, 1);
  std::vector<std::string> cells;
  for (const StorageLevel* level : all_levels(machine)) {
    const auto here = std::ranges::find(one.levels, level->name, &LevelTotal::name);
    cells.push_back(here == one.levels.end() ? "" : shortest(here->energy().picojoules()));
  }
  for (std::size_t unit = 0; unit < machine.chains(); ++unit)
    cells.push_back(layer.compute.name == machine.chain(unit).compute.name ? shortest(one.compute().picojoules()) : "");
  return cells;
}

// What is of the whole network, the same in every row.
std::vector<std::string> network_cells(const MapAnswer& answer) {
  const Throughput t = throughput(answer).value_or(Throughput{});
  const auto cell = [](const std::optional<double>& n) { return n ? shortest(*n) : std::string(); };
  std::vector<std::string> notes;
  if (!answer.network.one_run.empty()) notes.push_back("a run is no inference: " + answer.network.one_run);
  if (std::string alone = layers_alone_note(answer.network, answer.architecture.levels.back().name); !alone.empty())
    notes.push_back(std::move(alone));
  std::vector<std::string> cells{cell(t.inferences_per_second), cell(t.tokens_per_second),
                                 fmt::format("{}", fmt::join(notes, "; "))};
  if (const auto& best = answer.result.optimum)
    cells.insert(cells.end(), {shortest(best->value), shortest(best->lower_bound), std::string(name(best->status))});
  else cells.insert(cells.end(), 3, "");
  return cells;
}

}  // namespace

std::string map_csv(const MapAnswer& answer, const std::string& value_unit) {
  std::vector<std::string> heading{"layer",         "count",        "macs",           "energy_pj",   "cycles",
                                   "edp_pj_cycles", "utilization",  "value",          "lower_bound", "value_unit",
                                   "status",        "evaluated",    "search_seconds", "run_seconds", "watts",
                                   "tops",          "tops_per_watt"};
  const std::size_t numbers = heading.size();
  for (const StorageLevel* level : all_levels(answer.architecture)) heading.push_back(level->name + "_pj");
  for (std::size_t unit = 0; unit < answer.architecture.chains(); ++unit)
    heading.push_back(answer.architecture.chain(unit).compute.name + "_pj");
  const std::size_t totals = heading.size();
  const Details details(answer);
  for (std::string& name : details.heading()) heading.push_back(std::move(name));
  const std::size_t own = heading.size();
  heading.insert(heading.end(), {"network_inferences_per_second", "network_tokens_per_second", "network_note",
                                 "network_value", "network_lower_bound", "network_status"});
  const std::vector<std::string> of_network = network_cells(answer);
  std::string text = csv_line(heading);
  for (std::size_t i = 0; i < answer.result.layers.size(); ++i) {
    const LayerResult& layer = answer.result.layers[i];
    const MappingResult& r = layer.result;
    const u64 macs = answer.network.layers[i].workload.macs();
    const std::string status{name(r.status)}, evaluated = fmt::format("{}", r.statistics.evaluated);
    std::vector<std::string> row{layer.name, fmt::format("{}", layer.count), fmt::format("{}", macs)};
    if (!answer.breakdowns[i]) {
      row.insert(row.end(), {"", "", "", "", "", "", value_unit, status, evaluated, shortest(r.seconds)});
      row.resize(totals);
      for (std::string& cell : details.cells(answer.network.layers[i].workload, {})) row.push_back(std::move(cell));
      row.resize(own);
      row.insert(row.end(), of_network.begin(), of_network.end());
      text += csv_line(row);
      continue;
    }
    const double pj = r.cost.energy.picojoules();
    row.insert(row.end(), {shortest(pj), fmt::format("{}", r.cost.cycles), shortest(edp(r.cost.energy, r.cost.cycles)),
                           shortest(r.utilization), shortest(r.value), r.lower_bound > 0 ? shortest(r.lower_bound) : "",
                           value_unit, status, evaluated, shortest(r.seconds)});
    const auto speed = rates({pj, static_cast<double>(r.cost.cycles), static_cast<double>(macs)}, answer.architecture);
    if (speed)
      row.insert(row.end(), {shortest(speed->seconds), shortest(speed->watts), shortest(speed->tops),
                             shortest(speed->tops_per_watt)});
    row.resize(numbers);
    for (std::string& cell : energies_by_level(*answer.breakdowns[i], answer.architecture))
      row.push_back(std::move(cell));
    for (std::string& cell : details.cells(answer.network.layers[i].workload, answer.breakdowns[i]))
      row.push_back(std::move(cell));
    row.insert(row.end(), of_network.begin(), of_network.end());
    text += csv_line(row);
  }
  return text;
}

}  // namespace heliolite::cli

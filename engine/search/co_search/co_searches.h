#pragma once
// The co-searches: exact by branch and bound over sets of machines, the thesis', and one machine after the other; and
// what they share.
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/search/co_search/co_search.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/machine_family.h"
#include "engine/search/core/objective.h"
#include "engine/search/core/rules.h"

namespace heliolite {

// One layer on every machine of a family: its cost models, and what costs there are worth. Searches of mappings compare
// energy and cycles; between machines the area and the operations count, too (core/objective.h).

class LayerOnFamily {
 public:
  LayerOnFamily(const Workload& workload, const MachineFamily& family, Objective objective) : objective_(objective) {
    for (const Architecture& machine : family.machines()) {
      models_.emplace_back(workload, machine);
      factor_.push_back(machine_factor(objective, machine, workload));
    }
  }

  std::size_t size() const { return models_.size(); }
  const CostModel& model(std::size_t machine) const { return models_[machine]; }
  double factor(std::size_t machine) const { return factor_[machine]; }

  // The value of a cost on the machine, in units that compare between machines.
  double number(std::size_t machine, const Cost& cost) const {
    return objective_number(objective_, cost) * factor_[machine];
  }
  // A lower bound of all mappings on the machine whose keep choices lie in `keep`, in the same units.
  double compulsory(std::size_t machine, const KeepRange& keep) const {
    return number(machine, compulsory_cost(models_[machine], keep).whole);
  }

 private:
  Objective objective_;
  std::vector<CostModel> models_;  // by machine
  std::vector<double> factor_;     // by machine: machine_factor()
};

// Starts from `start`, the answer of Sunstone. Under a budget returns the best so far with a proven gap. Errors as
// co_search().
Result<CoSearchResult> co_search_exact(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                       const SearchOptions& options, const CoSearchResult& start);

// One machine after the other, the most promising first: of a network's own objective (options.network), the least of
// the layers' total energy and cycles, counted by their weights; and the sum over layers on machines without an
// envelope. A machine is not searched if what its mappings have at least is too much, unless `every`. Errors as
// co_search().
Result<CoSearchResult> co_search_one_by_one(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                            const SearchOptions& options, bool every);

// What is proven of all machines together: the least of their bounds, `most` at most, and how far the value is from it.
inline void conclude_bounds(CoSearchResult& out, double most) {
  out.lower_bound = most;
  for (const CoSearchMachine& machine : out.machines)
    if (machine.state != CoSearchMachine::State::Infeasible)
      out.lower_bound = std::min(out.lower_bound, machine.lower_bound);
  out.status = out.value <= out.lower_bound ? Status::Optimal : Status::Bounded;
  out.gap = out.lower_bound > 0 ? out.value / out.lower_bound - 1 : 0;
}

// The machines of a co-search in the order in which their tiles make them promising.

struct MachineRanking {
  std::vector<double> cost;        // [machine]: of its cheapest tiles, summed over the layers with their weights
  std::vector<std::size_t> order;  // the machines that some tile needs and on which every layer has one, cheapest first
};

// Ranks the machines by `tiles`, [layer]: cost(m), needless(m) and compulsory(m) of machine m. Machines that no tile
// needs fall to rule smallest-memory. Adds to the machines' lower bounds.
template <class Tiles>
MachineRanking rank_machines(std::span<const WeightedLayer> layers, const std::vector<Tiles>& tiles,
                             const RuleSet& rules, CoSearchResult& out) {
  const Gate gate(rules, out.statistics.rules);
  MachineRanking ranking;
  std::vector<double>& cost = ranking.cost;
  cost.assign(out.machines.size(), 0);
  for (std::size_t m = 0; m < cost.size(); ++m) {
    bool needless = true;
    for (std::size_t j = 0; j < tiles.size(); ++j) {
      cost[m] += layers[j].weight * tiles[j].cost(m);
      needless &= tiles[j].needless(m);
      out.machines[m].lower_bound += layers[j].weight * tiles[j].compulsory(m);
    }
    if (!gate.prunes(Rule::SmallestMemory, [&] { return needless; }) && cost[m] < kNever) ranking.order.push_back(m);
  }
  std::stable_sort(ranking.order.begin(), ranking.order.end(),
                   [&](std::size_t a, std::size_t b) { return cost[a] < cost[b]; });
  return ranking;
}

// Under a budget the best so far. A status Infeasible says only that nothing was found; `layers` is empty then. Errors
// as co_search().
Result<CoSearchResult> co_search_thesis(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                        const SearchOptions& options);

}  // namespace heliolite

#include "engine/search/exact/narrow_search.h"

#include <utility>
#include <vector>

#include "engine/search/core/compulsory.h"
#include "engine/search/exact/layered_pass.h"
#include "engine/search/exact/range_passes.h"

namespace heliolite {
namespace {

// Times what every mapping costs: answers below this are seldom far from the optimum.
constexpr double kFar = 1.25;
constexpr u64 kMostNarrowTiles = u64{1} << 17;  // of the layer: the tables have a row for each
constexpr std::size_t kKept = 64;               // partial mappings after each level, of each set of servers
constexpr u64 kRoomForStates = u64{1} << 20;    // bytes that the tables must leave

bool may_be_far(const LayerProblem& problem, const LayerAnswer& start) {
  const Objective objective = problem.options.objective;
  const Cost least = compulsory_cost(problem.model, problem.keep_range()).whole;
  return objective_number(objective, start.cost) > kFar * objective_number(objective, least);
}

}  // namespace

LayerAnswer narrow_search(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget) {
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count);
  const KeepRange keep = problem.keep_range();
  LayerAnswer out = start;
  const Gate gate(problem.options.rules, out.statistics.rules);
  if (!gate.on(Rule::Refine) || spent(budget, 0) != SearchEnd::Done || !may_be_far(problem, start) ||
      lattice.points() > kMostNarrowTiles || !ServerSets::few(keep, c.level_count, c.tensor_count))
    return out;
  const u64 most_bytes = problem.options.memory_bytes;
  const std::vector<FanoutChoices> fanouts = make_fanout_choices(problem, lattice, most_bytes);
  if (fanouts.empty()) return out;
  FlowCosts model = make_flow_costs(problem, keep, lattice, fanouts);
  const u64 tables = bytes(fanouts) + RestBounds::bytes(model);
  if (tables + kRoomForStates > most_bytes) return out;
  LayeredPass pass(problem, std::move(model), most_bytes - tables, [&] { return budget.over(); });
  if (!pass.ready()) return out;
  Incumbent incumbent(problem.options.objective, {});
  incumbent.offer(start.mapping, start.cost, start.machine);
  pass.run(kKept, budget, incumbent, {});
  out.statistics += pass.statistics();
  const LayerAnswer& found = incumbent.answer();
  out.offer(problem.options.objective, found.mapping, found.cost, found.machine);
  gate.pruned(Rule::Refine, out.value < start.value ? 1 : 0);
  return out;
}

}  // namespace heliolite

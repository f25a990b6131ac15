#pragma once
// The question that every strategy gets, one layer on one machine, and the answer that it gives.
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/model/cost_model.h"
#include "engine/model/keep.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/machine_family.h"
#include "engine/search/core/options.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// What of the machine's rules a search lifts.
inline MapspaceOptions mapspace_options(const SearchOptions& options) {
  return {.free = options.free, .open = options.open};
}

class KeptTables;  // of strategy exact (exact/rest_bounds.h)

// Some unrollings of the fan-out below a level.
struct UnrollingSubset {
  int level = 0;
  std::function<bool(const Extents& x, const Extents& y)> has;  // by dimension: unrolled along each axis
};

// A layer, a machine, and all mappings between them that a strategy may choose from.
struct LayerProblem {
  Workload workload;
  Architecture architecture;
  SearchOptions options;
  Mapspace space;   // the legal mappings
  CostModel model;  // of `workload` on `architecture`
  // In a co-search the machines to choose from, and the cost model of each; `architecture` is then the family's
  // envelope. Otherwise null and empty.
  std::shared_ptr<const MachineFamily> family = nullptr;
  std::vector<CostModel> machines = {};

  // For uneven tiles: `architecture` is then the stacked machine, and `unstacked` the cost model of `workload` on the
  // machine whose levels are stacked, which prices what levels share. Otherwise null and none.
  std::shared_ptr<const StoreStack> stack = nullptr;
  std::optional<CostModel> unstacked{};

  // Where words from peers (arch/architecture.h) may change what mappings cost, the cost model that counts them;
  // `model` then leaves them out.
  std::optional<CostModel> whole_model{};
  // With strategy exact: of one fan-out only these unrollings. Null: what `space` says.
  std::shared_ptr<const UnrollingSubset> unrollings = nullptr;

  // Tables that searches of equal problems with other objectives leave to each other; null: none are kept.
  std::shared_ptr<KeptTables> kept_tables = nullptr;

  // Where there is a whole model, the same question of what mappings cost by that; nobody is told of it.
  LayerProblem by_whole_model() const;

  // Whether the objective depends on how long the first tiles take on their way in (docs/cost_model.md, rule 46).
  bool ramps_matter() const;
  // The rules that are on and hold on this machine for any factors: some do not where ramps matter.
  RuleSet rules_of_all_tiles() const;
  // Those for perfect factors: rules that prefer mappings which move fewer words do not hold where these may touch more
  // routers, either.
  RuleSet sound_rules() const;
  // Whether level i and the level inside it are stores of one memory, which share its room and bandwidth.
  bool shares_inside(int i) const { return stack && stack->shares_inside(i); }
  // Whether a mapping fits machine k, and its cost if it does; one that leaves too many units idle does not fit.
  Evaluation price(std::size_t k, const Mapping& mapping) const;
  // Whether a mapping, of any factors, fits the machine of `model`, and its cost if it does.
  Evaluation evaluate(const Mapping& mapping) const {
    return space.uses_enough_units(mapping) ? model.evaluate(mapping, counts()) : Evaluation{Verdict::IdleUnits, 0, {}};
  }

  // The cost model of machine k of the family; without a family that of the only machine.
  const CostModel& machine(std::size_t k) const { return machines.empty() ? model : machines[k]; }

  // Whether factors need not divide, and how words are counted then.
  bool has_all_tiles() const { return options.factors == Factors::Any; }
  Counts counts() const { return has_all_tiles() ? Counts::True : Counts::Timeloop; }

  // The share, 0 to 1, of what all units could do in these cycles.
  double utilization(u64 cycles) const { return heliolite::utilization(model.compiled(), architecture, cycles); }

  // Which tensors each level must keep and which it may keep, by the machine's constraints.
  KeepRange keep_range() const;
  // Every choice of the tensors that each level keeps; the one that keeps most comes first. Empty if there are more
  // than `most` choices.
  std::vector<KeepMasks> keep_choices(u64 most) const;

  // Reports the best value so far and a proven lower bound to the progress hook, both in the unit of
  // objective_number(); 0 means nothing new. `evaluated`: mappings priced by then. May be called from any thread. What
  // is proven of even tiles, or of one order of the stores, is not proven of all uneven ones: their search passes on
  // values only.
  void report_progress(double value, double lower_bound, u64 evaluated = 0) const {
    if (!options.progress) return;
    const double proven = options.tiles == Tiles::Even ? lower_bound : 0;
    options.progress({.value = value, .lower_bound = proven, .evaluated = evaluated});
  }
};

// A mapping and its cost.
struct PricedMapping {
  Mapping mapping;
  Cost cost;
};

// What a strategy found for one layer.
struct LayerAnswer {
  bool found = false;  // false: mapping, machine, cost and value mean nothing
  Mapping mapping;
  u32 machine = 0;  // index into the problem's family
  Cost cost;
  Value value = Value::worst();
  SearchEnd end = SearchEnd::Done;
  bool complete = false;              // the whole mapspace was covered: what was found is the optimum
  std::optional<double> lower_bound;  // no mapping of the mapspace is below, in units of objective_number()
  SearchStatistics statistics;
  std::vector<bool> machines_tried{};          // [machine of the family]: whether some tile was looked at on it
  std::optional<WitnessReport> witness{};      // of SearchOptions::witness
  std::optional<MipReport> mip{};              // of strategy cosa
  std::optional<EvaluatorReport> evaluator{};  // of SearchOptions::evaluator
  // Where the problem's whole model is searched: the answer by that; the others are those by `model`.
  std::shared_ptr<const LayerAnswer> by_whole_model{};
  // Where it is not searched: answers of smaller mapspaces, which may cost less by the whole model.
  std::vector<Mapping> alternatives{};
  // What exact_list() lists: mappings that no other one is nowhere above, from the fewest cycles on; else none.
  std::vector<PricedMapping> listed{};
  Diagnostics why_not_found{};  // the reason if it is not the problem's

  // Replaces the mapping by `candidate` if that is better, and returns whether it was. Of equally good mappings the one
  // on the machine with the lower index is better, then the one that comes first in canonical order.
  bool offer(Objective objective, const Mapping& candidate, const Cost& its_cost, u32 its_machine = 0) {
    return offer(candidate, its_cost, Value::of(objective, its_cost), its_machine);
  }
  // Offers a candidate whose value is not the cost's.
  bool offer(const Mapping& candidate, const Cost& its_cost, const Value& v, u32 its_machine = 0);

  // What may be the answer with link transfers: the one that is known to be, or this one, and its alternatives.
  std::vector<Mapping> mappings() const;

  // The value as a number, if a mapping was found.
  double number(Objective objective) const { return evaluator ? evaluator->value : objective_number(objective, cost); }
};

// Words from peers: which tensors may have some, in some mapping of a mapspace.

// Tensors of which some mapping takes words from peers at the fan-out below the level.
TensorMask tensors_with_peers(const Mapspace& space, const Compiled& compiled, int level);

// Whether words from peers can change the cost of any mapping.
bool peers_matter(const Mapspace& space, const Compiled& compiled);

// Whether the bounds of strategy exact hold with them: not where compute units share an innermost level whose network
// has a price, nor for an output that crosses in both directions below a DRAM of which that is so.
bool peers_searched(const Mapspace& space, const Compiled& compiled);

// What every mapping of the layer that the options allow has at least (compulsory.h). Errors: constraints of the
// machine that the layer cannot obey.
Result<Cost> least_cost(const Workload& workload, const Architecture& architecture, const SearchOptions& options);

}  // namespace heliolite

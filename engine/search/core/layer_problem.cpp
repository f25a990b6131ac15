#include "engine/search/core/layer_problem.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/multicast.h"
#include "engine/model/nest.h"
#include "engine/model/running_units.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {

LayerProblem LayerProblem::by_whole_model() const {
  LayerProblem out = *this;
  out.architecture = whole_model->architecture();
  out.model = *whole_model;
  out.whole_model.reset();
  out.options.witness.reset();
  out.options.progress = {};
  return out;
}

bool LayerProblem::ramps_matter() const {
  const Compiled& c = model.compiled();
  bool timed = info(options.objective).cycles_power != 0;
  for (int i = 0; i < c.level_count; ++i) timed |= leaks(c.level[i]);
  return c.ramps && timed;
}

RuleSet LayerProblem::rules_of_all_tiles() const {
  return ramps_matter() ? without_rules(options.rules, kNotWithRamps) : options.rules;
}

RuleSet LayerProblem::sound_rules() const {
  const RuleSet rules = rules_of_all_tiles();
  const Compiled& c = model.compiled();
  for (int i = 0; i < c.level_count; ++i) {
    // The hops of all words are those of units that take turns alike, unless an output crosses in both directions or
    // the words of a level that passes a tensor by are priced by the hops of its tiles (rules 16 and 26).
    const bool passes = i > 0 && (c.all_tensors() & ~space.levels[i - 1].keep) != 0;
    if (!averages_routers(c.level[i]) || (c.level[i].reduces && !passes)) continue;
    return without_rules(rules, kNotWithRouterPrices);
  }
  return rules;
}

Evaluation LayerProblem::price(std::size_t k, const Mapping& mapping) const {
  if (!space.uses_enough_units(mapping)) return {Verdict::IdleUnits, 0, {}};
  if (stack) return unstacked->evaluate(heliolite::unstacked(mapping, *stack));
  return machine(k).evaluate(mapping);
}

KeepRange LayerProblem::keep_range() const {
  KeepRange keep;
  for (std::size_t i = 0; i < space.levels.size(); ++i) {
    keep.must[i] = space.levels[i].keep;
    keep.may[i] = space.levels[i].keep | space.levels[i].open;
  }
  return keep;
}

std::vector<KeepMasks> LayerProblem::keep_choices(u64 most) const {
  struct Place {
    std::size_t level;
    TensorMask tensor;
  };
  std::vector<Place> open;
  for (std::size_t i = 0; i < space.levels.size(); ++i)
    for (const int v : bits(space.levels[i].open)) open.push_back({i, static_cast<TensorMask>(1u << v)});
  std::vector<KeepMasks> out;
  if (open.size() >= 64 || u64{1} << open.size() > most) return out;
  const KeepMasks all = keep_range().may;
  for (u64 bypass = 0; bypass < u64{1} << open.size(); ++bypass) {
    out.push_back(all);
    for (std::size_t k = 0; k < open.size(); ++k)
      if (contains(bypass, k)) out.back()[open[k].level] &= static_cast<TensorMask>(~open[k].tensor);
  }
  return out;
}

std::vector<Mapping> LayerAnswer::mappings() const {
  std::vector<Mapping> out = alternatives;
  if (by_whole_model) out.push_back(by_whole_model->mapping);
  else if (found) out.push_back(mapping);
  return out;
}

bool LayerAnswer::offer(const Mapping& candidate, const Cost& its_cost, const Value& v, u32 its_machine) {
  if (found &&
      (value < v || (value == v && (machine < its_machine || (machine == its_machine && mapping <= candidate)))))
    return false;
  found = true;
  mapping = candidate;
  machine = its_machine;
  cost = its_cost;
  value = v;
  return true;
}

TensorMask tensors_with_peers(const Mapspace& space, const Compiled& c, int level) {
  const SpatialSpace& fanout = space.levels[level].spatial;
  DimensionMask unrolled = 0;
  for (const int d : bits(static_cast<DimensionMask>((fanout.allowed_x | fanout.allowed_y) & space.non_unit)))
    if (fanout.factor[d].max > 1) unrolled |= dimension_bit(d);
  TensorMask out = 0;
  for (const int v : bits(c.level[level].peers))
    if ((level == 0 ? unrolled : unrolled & c.tensor[v].sharing_any) != 0) out = static_cast<TensorMask>(out | 1u << v);
  return out;
}

bool peers_matter(const Mapspace& space, const Compiled& c) {
  for (int i = 0; i < c.level_count; ++i)
    if (tensors_with_peers(space, c, i) != 0) return true;
  return false;
}

bool peers_searched(const Mapspace& space, const Compiled& c) {
  // Levels that may be asked for the words of units that share the innermost one.
  TensorMask asking = tensors_with_peers(space, c, 0);
  for (int i = 0; asking != 0; ++i) {
    if (c.level[i].network_costs || c.level[i].generates_addresses) return false;
    asking = static_cast<TensorMask>(asking & ~space.levels[i].keep);
  }
  for (int i = 1; i < c.level_count; ++i)
    for (const int v : bits(tensors_with_peers(space, c, i)))
      if (c.tensor[v].is_output && !c.level[i].reduces && c.level[i].network_costs) return false;
  return true;
}

namespace {

Result<Cost> least_cost_on_chain(const Workload& workload, const Architecture& chain, const SearchOptions& options) {
  Result<Mapspace> space = resolve(workload, chain, mapspace_options(options));
  if (!space) return space.errors();
  const LayerProblem problem{workload, chain, options, *std::move(space), CostModel(workload, chain)};
  return compulsory_cost(problem.model, problem.keep_range()).whole;
}

}  // namespace

Result<Cost> least_cost(const Workload& workload, const Architecture& architecture, const SearchOptions& options) {
  const Result<std::vector<std::size_t>> units = units_that_run(workload, architecture);
  if (!units) return units.errors();
  std::optional<Cost> least;
  Diagnostics errors;
  for (const std::size_t unit : *units) {
    const Result<Cost> cost = least_cost_on_chain(workload, architecture.chain(unit), options);
    if (!cost) {
      if (errors.empty()) errors = cost.errors();
      continue;
    }
    if (!least) least = *cost;
    least = Cost{std::min(least->energy, cost->energy), std::min(least->cycles, cost->cycles)};
  }
  if (!least) return errors;
  return *least;
}

}  // namespace heliolite

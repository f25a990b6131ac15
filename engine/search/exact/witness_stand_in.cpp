#include "engine/search/exact/witness_stand_in.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/exact/expand.h"
#include "engine/search/exact/push_in.h"

namespace heliolite {

Mapping reordered(const Mapping& mapping, int level, u64 order) {
  Mapping out = mapping;
  std::size_t place = 0;
  while (mapping.loop[place].level != level || mapping.loop[place].is_spatial()) ++place;
  for (; order != 0; order >>= 4, ++place) {
    const auto is_next = [&](const Loop& loop) {
      return loop.level == level && !loop.is_spatial() && loop.dimension + 1u == (order & 15);
    };
    out.loop[place] = *std::ranges::find_if(mapping.loops(), is_next);
  }
  return out;
}

// By the search's own expansion of the one parent, with this unrolling and tile only, and no rule but free-loops.
std::vector<u64> orders_tried(const LayerProblem& problem, const PassStage& stage, u32 parent, const Mapping& mapping,
                              const WitnessWalk& walk) {
  if (!problem.sound_rules()[Rule::FreeLoops]) return {walk.order()};
  LayerProblem only = problem;
  only.options = {};
  only.options.objective = problem.options.objective;
  for (const RuleInfo& info : kRuleTable) only.options.rules.set(info.rule, info.rule == Rule::FreeLoops);
  TemporalSpace& temporal = only.space.levels[at(stage.level)].temporal;
  for (FactorLimit& limit : temporal.factor) limit = {1, 1};
  for (const Loop& loop : mapping.loops())
    if (loop.level == stage.level && !loop.is_spatial()) temporal.factor[loop.dimension] = {loop.end, loop.end};
  FlowCosts model = stage.model;
  std::vector<FanoutChoices> fanouts(model.fanout.begin(), model.fanout.end());
  std::vector<SpatialChoice>& choices = fanouts[at(stage.level)].choices;
  if (!choices.empty()) choices = std::vector<SpatialChoice>{choices[walk.choice()]};
  model.fanout = fanouts;
  Incumbent none(problem.options.objective, {});
  Frontier out(stage.model, stage.level);
  Expander expander(only, model, stage.bounds, stage.layers, stage.level, none, out, ~std::size_t{0});
  expander.extend(parent, SearchBudget(only.options), ~u64{0});
  std::vector<u64> orders;
  for (std::size_t k = 0; k < out.size(); ++k)
    if (out.node(k).servers == walk.state().servers) orders.push_back(out.node(k).order);
  return orders;
}

Mapping all_moved_in(const FlowCosts& model, const Mapping& mapping, int level) {
  Mapping out = mapping;
  for (bool moved = true; moved;) {
    moved = false;
    const std::vector<DimensionMask> room = room_inside(model, 0, level, placed_level(model, out, level - 1));
    const auto loops = out.loops();
    const auto innermost =
        std::ranges::find_if(loops, [&](const Loop& l) { return l.level == level && !l.is_spatial(); });
    for (std::size_t a = 0; a < room.size() && innermost != loops.end() && !moved; ++a) {
      const LatticeAxis& axis = model.lattice.axes()[a];
      if (room[a] == 0 || axis.dimension != innermost->dimension || innermost->end % axis.prime != 0) continue;
      out = *moved_in(out, level, axis);
      moved = true;
    }
  }
  return out;
}

}  // namespace heliolite

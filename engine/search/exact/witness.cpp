#include "engine/search/exact/witness.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// The choice with these factors, by product if the axes do not matter.
const SpatialChoice* find_choice(const FanoutChoices& fanout, const Extents& x, const Extents& y) {
  const auto found = std::find_if(fanout.choices.begin(), fanout.choices.end(), [&](const SpatialChoice& s) {
    if (fanout.hops) return s.x == x && s.y == y;
    for (int d = 0; d < kMaxDimensions; ++d)
      if (s.factor.extent[at(d)] != x[at(d)] * y[at(d)]) return false;
    return true;
  });
  return found == fanout.choices.end() ? nullptr : &*found;
}

}  // namespace

std::vector<WitnessStep> trace_bounds(const LayerProblem& problem, const Mapping& mapping) {
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count);
  const std::vector<FanoutChoices> fanouts = make_fanout_choices(problem, lattice);
  const FlowCosts model = make_flow_costs(problem, mapping.keep, lattice, fanouts);
  const PartialBounds bounds(model);
  const NestSteps steps(model);
  std::vector<WitnessStep> out;
  PartialMapping s = steps.root(0);
  out.push_back({0, "root", bounds.at_root(s)});
  int k = 0;
  for (int level = 0; level < model.levels(); ++level) {
    Extents x, y;
    x.fill(1), y.fill(1);
    for (; k < mapping.loop_count && mapping.loop[at(k)].level == level && mapping.loop[at(k)].is_spatial(); ++k)
      (mapping.loop[at(k)].kind == LoopKind::SpatialX ? x : y)[mapping.loop[at(k)].dimension] *=
          mapping.loop[at(k)].end;
    if (model.fanout[at(level)].exists) {
      const SpatialChoice* choice = find_choice(model.fanout[at(level)], x, y);
      if (choice == nullptr) return {};
      if (level > 0) {
        auto before = bounds.inside(s, {level - 1, false});
        bounds.add_cycles(s, before);
        const u32 tile = s.tile.index + choice->factor.index;
        before.compute_cycles = bounds.compute_cycles(s.units * choice->instances, level, lattice.full().index - tile);
        out.push_back({level, "unrolling", bounds.at_guess(s, before, tile)});
      }
      steps.unroll(s, level, *choice);
    }
    auto inside = bounds.inside(s, {level, true});
    bounds.add_cycles(s, inside);
    out.push_back({level, "unrolled", bounds.at_unrolled(s, inside, s.tile.index)});
    Extents tile = s.tile.extent;
    for (int j = k; j < mapping.loop_count && mapping.loop[at(j)].level == level; ++j)
      tile[mapping.loop[at(j)].dimension] *= mapping.loop[at(j)].end;
    const LatticePoint point = lattice.point(tile);
    out.push_back({level, "candidate", bounds.at_candidate(s, inside, point.index)});
    out.push_back({level, "ordered", bounds.at_candidate_ordered(s, inside, point)});
    Extents left;
    for (int d = 0; d < kMaxDimensions; ++d) left[at(d)] = c.size[at(d)] / s.tile.extent[at(d)];
    for (; k < mapping.loop_count && mapping.loop[at(k)].level == level; ++k) {
      const Loop& loop = mapping.loop[at(k)];
      left[loop.dimension] /= loop.end;
      steps.loop(s, loop.dimension, loop.end, left);
    }
    s.tile = point;
    if (level + 1 == model.levels()) {
      steps.finish(s);
    } else if (!steps.start(s, level)) {
      return {};
    }
    auto after = bounds.inside(s, {level, false});
    bounds.add_cycles(s, after);
    out.push_back({level, level + 1 == model.levels() ? "sum" : "tile", bounds.at_tile(s, after, point.index)});
  }
  return out;
}

}  // namespace heliolite

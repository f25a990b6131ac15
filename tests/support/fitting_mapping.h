#pragma once
// Random mappings of all tile sizes, and what the search over them sees of one.
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/model/true_counts/cost.h"
#include "engine/search/all_tiles/partial_cost.h"
#include "engine/search/all_tiles/rest_table.h"
#include "engine/search/all_tiles/unrollings.h"
#include "tests/support/random_problem.h"

namespace heliolite::testing {

// Calls visit(trail, reach) after every loop and every fan-out and level of a mapping.
template <class Visit>
void each_prefix(const Compiled& c, const Mapping& m, Visit&& visit) {
  Trail trail(c);
  int k = 0;
  for (int i = 0; i < c.level_count; ++i) {
    trail.begin(i);
    u64 x = c.level[i].fanout_x, y = c.level[i].fanout_y;
    visit(trail, Reach{i, x, y});
    for (const LoopKind kind : {LoopKind::SpatialX, LoopKind::SpatialY, LoopKind::Temporal}) {
      for (; k < m.loop_count && m.loop[k].level == i && m.loop[k].kind == kind; ++k) {
        const Loop& loop = m.loop[k];
        trail.push(kind, i, loop.dimension, loop.end);
        if (kind == LoopKind::SpatialX) x /= loop.end;
        if (kind == LoopKind::SpatialY) y /= loop.end;
        visit(trail, Reach{i, kind == LoopKind::SpatialX ? x : 1, kind == LoopKind::Temporal ? 1 : y});
      }
      if (kind == LoopKind::SpatialX) visit(trail, Reach{i, 1, y});
      if (kind == LoopKind::SpatialY) visit(trail, Reach{i, 1, 1});
    }
  }
}

// Of all loops of a mapping.
inline Cost bound_of_whole(PartialCost& partial, const Compiled& c, const Mapping& m) {
  Cost out;
  each_prefix(c, m, [&](const Trail& trail, const Reach& reach) {
    if (reach.level + 1 == c.level_count) out = partial(trail, reach);
  });
  return out;
}

// No limits of loops.
inline LoopLimits any_loops() {
  LoopLimits out;
  for (auto& level : out.most_tiles) level.fill(~u64{0});
  out.looped.fill(static_cast<DimensionMask>(~0u));
  return out;
}

// A random mapping of all tile sizes that fits, without loops that have nothing to do. Of every third seed the tensors
// state the sizes of their words, of every fourth levels say whether they reduce.
struct FittingMapping {
  RandomProblem problem;
  Compiled c;
  Mapping mapping;
  Cost cost;
  bool fits;

  FittingMapping(u64 seed, bool sliding, bool interconnects = false, bool plain_output = true)
      : problem(random_problem(seed, options(sliding, interconnects, plain_output, seed % 3 == 0, seed % 4 == 1))),
        c(problem.workload, problem.architecture) {
    if (seed % 6 == 0)
      for (StorageLevel& level : problem.architecture.levels)
        level.network = {.hop_pj = 0.5, .router_pj = 0, .ingress_pj = seed % 12 == 0 ? 0.25 : 0};
    if (seed % 5 == 3) problem.workload.operations = 1 + seed % 4, problem.architecture.compute.cycles_per_op = 2;
    c = Compiled(problem.workload, problem.architecture);
    mapping = without_idle_loops(TrueNest(c, problem.mapping), problem.mapping);
    const Evaluation e = true_cost_of(c, mapping);
    cost = e.cost;
    fits = e.verdict == Verdict::Fits;
  }

  static RandomOptions options(bool sliding, bool interconnects, bool plain_output, bool word_bits, bool reductions) {
    RandomOptions out;
    out.imperfect = out.capacities = true;
    out.plain_output = plain_output;
    out.sliding = sliding;
    out.max_size = 16;
    out.interconnects = interconnects;
    out.word_bits = word_bits;
    out.reductions = reductions;
    return out;
  }
  // What its fan-outs unroll, and nothing else.
  Unrollable unrolled() const {
    Unrollable out;
    for (const Loop& loop : mapping.loops())
      if (loop.is_spatial()) {
        DimensionMask& axis = (loop.kind == LoopKind::SpatialX ? out.x : out.y)[loop.level];
        axis = static_cast<DimensionMask>(axis | dimension_bit(loop.dimension));
      }
    return out;
  }
  // The same with the units along each dimension by itself.
  ClassUnrolling split_unrolling() const {
    ClassUnrolling out = unrolling();
    for (const DimensionMask of_class : tensor_classes(c)) out.split |= of_class;
    out.along = units_along();
    return out;
  }
  std::vector<std::array<u32, kMaxDimensions>> units_along() const {
    std::vector<std::array<u32, kMaxDimensions>> out(at(c.level_count));
    for (auto& level : out) level.fill(1);
    for (const Loop& loop : mapping.loops())
      if (loop.is_spatial()) out[loop.level][loop.dimension] *= loop.end;
    return out;
  }
  // The same if it is not said how many units stand along dimensions that move all tensors.
  ClassUnrolling unrolling_of_the_others() const {
    ClassUnrolling out = unrolling();
    const std::vector<DimensionMask> classes = tensor_classes(c);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      bool free = true;
      for (int v = 0; v < c.tensor_count; ++v)
        free &= (classes[k] & ~c.tensor[v].indexing) == 0 && (classes[k] & c.tensor[v].sharing_any) == 0;
      if (!free) continue;
      out.free = static_cast<u16>(out.free | 1u << k);
      for (int i = 0; i < c.level_count; ++i) out.units[at(i) * classes.size() + k] = 1;
    }
    return out;
  }
  // What its fan-outs make of each class of dimensions.
  ClassUnrolling unrolling() const {
    const std::vector<DimensionMask> classes = tensor_classes(c);
    ClassUnrolling out;
    out.units.assign(at(c.level_count) * classes.size(), 1);
    for (const Loop& loop : mapping.loops())
      for (std::size_t k = 0; k < classes.size(); ++k)
        if (loop.is_spatial() && contains(classes[k], loop.dimension))
          out.units[loop.level * classes.size() + k] *= loop.end;
    out.along = units_along();
    out.working.assign(out.units.size(), 1), out.steps.assign(classes.size(), 1);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      set_exactly(c, classes, k, out);
      out.least_steps *= out.steps[k];
    }
    out.along.clear();
    return out;
  }
  // Of the mapspace that allows its factors, and none larger.
  LoopLimits limits() const {
    Mapspace space;
    space.levels.resize(at(c.level_count));
    space.dimension_count = static_cast<u8>(c.dimension_count);
    for (int d = 0; d < c.dimension_count; ++d) space.size[d] = c.size[d];
    for (const Loop& loop : mapping.loops()) {
      LevelSpace& level = space.levels[loop.level];
      const auto bit = dimension_bit(loop.dimension);
      if (!loop.is_spatial()) {
        level.temporal.allowed |= bit;
        level.temporal.factor[loop.dimension].max *= loop.end;
        continue;
      }
      SpatialSpace& spatial = level.spatial;
      const bool x = loop.kind == LoopKind::SpatialX;
      (x ? spatial.allowed_x : spatial.allowed_y) |= bit;
      (x ? spatial.fanout_x : spatial.fanout_y) *= loop.end;
      spatial.factor[loop.dimension].max *= loop.end;
    }
    return loop_limits(space);
  }
  KeepMasks keep() const {
    KeepMasks out{};
    for (int i = 0; i < c.level_count; ++i) out[i] = mapping.keep[i];
    return out;
  }
};

// HELIOLITE_TRUE_COUNTS_RUNS says how many.
inline const u64 kRandomMappings = [] {
  const char* runs = std::getenv("HELIOLITE_TRUE_COUNTS_RUNS");
  return runs == nullptr ? u64{1'000} : std::stoull(runs);
}();

}  // namespace heliolite::testing

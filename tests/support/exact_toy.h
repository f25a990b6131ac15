#pragma once
// A small problem, with one keep choice or a range of them, as the exact search sees it, its mappings one level at a
// time, and toys to follow by hand.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/exact/nest_steps.h"
#include "engine/space/footprint.h"
#include "tests/support/exact_problem.h"

namespace heliolite::testing {

// A tile by the sizes of the first dimensions, in their order; the others have 1.
inline Extents extents(std::initializer_list<u32> sizes) {
  Extents out = unit_extents();
  std::copy(sizes.begin(), sizes.end(), out.begin());
  return out;
}

// Not movable: the model refers to the problem and the fan-outs.
struct ExactToy {
  LayerProblem problem;
  Lattice lattice;
  std::vector<FanoutChoices> fanouts;
  FlowCosts model;
  NestSteps steps;

  ExactToy(LayerProblem p, const KeepMasks& keep) : ExactToy(std::move(p), KeepRange{keep, keep}) {}
  ExactToy(LayerProblem p, const KeepRange& keep)
      : problem(std::move(p)),
        lattice(problem.model.compiled().size, problem.model.compiled().dimension_count),
        fanouts(make_fanout_choices(problem, lattice)),
        model(make_flow_costs(problem, keep, lattice, fanouts)),
        steps(model) {}
  // Everything kept that may be.
  explicit ExactToy(const LayerProblem& p) : ExactToy(p, p.keep_range().may) {}
  ExactToy(const ExactToy&) = delete;
  ExactToy& operator=(const ExactToy&) = delete;

  const Compiled& compiled() const { return problem.model.compiled(); }
  int top() const { return model.levels() - 1; }
  bool full(const LatticePoint& tile) const { return tile.index == lattice.full().index; }
  bool divides(const LatticePoint& a, const LatticePoint& b) const { return lattice.divides(a.packed, b.packed); }

  // A tile by the sizes of the dimensions, in their order.
  LatticePoint tile(std::initializer_list<u32> sizes) const { return lattice.point(extents(sizes)); }
};

// A mapping on its way from the inside out: what the search knows of it, and the loops so far.
struct Walk {
  PartialMapping state;
  Mapping mapping;
  bool has_room = true;  // false: more sliding flows than the search can hold

  Walk(const ExactToy& toy, u32 machine, const KeepMasks& keep)
      : state(toy.steps.root(machine, toy.model.servers.find(-1, keep))) {
    mapping.level_count = static_cast<u8>(toy.model.levels());
    mapping.keep = keep;
  }
  // Everything kept that may be.
  Walk(const ExactToy& toy, u32 machine) : Walk(toy, machine, toy.model.keep.may) {}
};

// What a level adds: an unrolling of its fan-out (null: it has none), its tile, and its loops, innermost first.
struct LevelStep {
  const SpatialChoice* spatial = nullptr;
  LatticePoint tile;
  std::vector<u8> order;
  std::size_t fixed = 0;  // of them, this many, the first in this order
};

inline void add_level(const ExactToy& toy, Walk& walk, int level, const LevelStep& step) {
  PartialMapping& s = walk.state;
  if (step.spatial != nullptr) {
    const LevelSpace& space = toy.problem.space.levels[level];
    for (const LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
      for (const u8 d : canonical_order(toy.problem.space, space.spatial.order))
        walk.mapping.add(axis, level, d, (axis == LoopKind::SpatialX ? step.spatial->x : step.spatial->y)[d]);
    toy.steps.unroll(s, level, *step.spatial);
  }
  const Extents inner = s.tile.extent;
  Extents left;
  for (int d = 0; d < kMaxDimensions; ++d) left[d] = toy.compiled().size[d] / inner[d];
  for (const u8 d : step.order) {
    const u32 iterations = step.tile.extent[d] / inner[d];
    walk.mapping.add(LoopKind::Temporal, level, d, iterations);
    left[d] /= iterations;
    toy.steps.loop(s, d, iterations, left);
  }
  s.tile = step.tile;
  if (level == toy.top()) toy.steps.finish(s);
  else walk.has_room &= toy.steps.start(s, level, toy.model.servers.find(level, walk.mapping.keep));
}

// The step to a tile over `inner`: the loops that the machine fixes come first, then the others in ascending order.
inline LevelStep step_to(const ExactToy& toy, int level, const SpatialChoice* spatial, const LatticePoint& inner,
                         const LatticePoint& tile) {
  LevelStep step{spatial, tile, {}, 0};
  for (const u8 d : toy.problem.space.levels[level].temporal.order.dimensions())
    if (tile.extent[d] != inner.extent[d]) step.order.push_back(d);
  step.fixed = step.order.size();
  for (u8 d = 0; d < toy.compiled().dimension_count; ++d)
    if (tile.extent[d] != inner.extent[d] && std::find(step.order.begin(), step.order.end(), d) == step.order.end())
      step.order.push_back(d);
  return step;
}

// Whether the tile may be that of the level over `inner`: limits, room on the machine, and everything at the top.
inline bool tile_allowed(const ExactToy& toy, const Walk& walk, int level, const LatticePoint& inner,
                         const LatticePoint& tile) {
  if (!toy.divides(inner, tile) || (level == toy.top() && !toy.full(tile))) return false;
  const TemporalSpace& space = toy.problem.space.levels[level].temporal;
  for (int d = 0; d < toy.compiled().dimension_count; ++d)
    if (!space.factor[d].allows(tile.extent[d] / inner.extent[d])) return false;
  return toy.model.fits(level, walk.mapping.keep[level], tile.extent) &&
         toy.model.holds(walk.state.machine, level, toy.model.servers.find(level - 1, walk.mapping.keep), tile.extent);
}

// Calls visit(walk) for every way to add the level: unrollings, tiles, and all orders of the loops that the machine
// does not fix.
template <class Visit>
void for_each_level(const ExactToy& toy, const Walk& walk, int level, Visit visit) {
  const auto tiles_over = [&](const SpatialChoice* spatial, const LatticePoint& inner) {
    toy.lattice.grid().visit([&](u64, const LatticePoint& tile, const LatticePoint&) {
      if (!tile_allowed(toy, walk, level, inner, tile)) return;
      LevelStep step = step_to(toy, level, spatial, inner, tile);
      const auto free = step.order.begin() + static_cast<std::ptrdiff_t>(step.fixed);
      do {
        Walk next = walk;
        add_level(toy, next, level, step);
        visit(static_cast<const Walk&>(next));
      } while (std::next_permutation(free, step.order.end()));
    });
  };
  if (!toy.fanouts[level].exists) return tiles_over(nullptr, walk.state.tile);
  for (const SpatialChoice& spatial : toy.fanouts[level].choices)
    if (toy.lattice.divides(spatial.factor.packed, toy.lattice.full().packed - walk.state.tile.packed))
      tiles_over(&spatial, Lattice::product(walk.state.tile, spatial.factor));
}

// Calls visit(walk) for every way to complete a mapping from `level` on.
template <class Visit>
void for_each_completion(const ExactToy& toy, const Walk& walk, int level, const Visit& visit) {
  for_each_level(toy, walk, level, [&](const Walk& next) {
    if (level == toy.top()) visit(next);
    else for_each_completion(toy, next, level + 1, visit);
  });
}

// A level of a toy machine that keeps everything; energies in units of 2^-32 pJ.
struct ToyLevel {
  std::optional<u64> entries = std::nullopt;
  u64 read = 0, fill = 0, update = 0;
  u64 fanout_x = 1;
};

// Innermost first. Operations cost nothing, nor does anything else that is not said.
inline Architecture toy_machine(const std::vector<ToyLevel>& levels) {
  const auto pj = [](u64 units) { return static_cast<double>(units) * Energy{1}.picojoules(); };
  Architecture a;
  a.name = "toy";
  u64 instances = 1;
  for (std::size_t i = levels.size(); i-- > 0;) {
    StorageLevel level;
    level.name = "L" + std::to_string(i);
    level.entries = levels[i].entries;
    level.instances = level.mesh_x = instances;
    level.fanout_x = levels[i].fanout_x;
    level.energy = {pj(levels[i].read), pj(levels[i].fill), pj(levels[i].update)};
    level.keep.keep = {"all"};
    a.levels.insert(a.levels.begin(), level);
    instances *= levels[i].fanout_x;
  }
  a.compute.instances = a.compute.mesh_x = instances;
  a.compute.op_pj = 0;
  return a;
}

inline LayerProblem toy_problem(const Workload& workload, const Architecture& machine,
                                Objective objective = Objective::Energy) {
  SearchOptions options;
  options.objective = objective;
  return layer_problem(workload, machine, options);
}

}  // namespace heliolite::testing

#pragma once
// Random partial mappings of a problem, and random ways to complete them: the same for the same seed.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/exact_toy.h"

namespace heliolite::testing {

// Random ways through the levels of a problem.
class RandomSteps {
 public:
  RandomSteps(const ExactToy& toy, u64 seed) : toy_(toy), rng_(seed) {}

  // A step to `goal`, or to any tile if that is null. Absent: a dead end.
  std::optional<LevelStep> step(const Walk& walk, int level, const LatticePoint* goal, const LatticePoint& most) {
    const PartialMapping& s = walk.state;
    const SpatialChoice* spatial = nullptr;
    LatticePoint inner = s.tile;
    if (toy_.fanouts[level].exists) {
      const auto& choices = toy_.fanouts[level].choices;
      spatial = &choices[pick(rng_, 0, choices.size() - 1)];
      if (!toy_.lattice.divides(spatial->factor.packed, most.packed - s.tile.packed)) return std::nullopt;
      inner = Lattice::product(s.tile, spatial->factor);
    }
    const LatticePoint tile = goal != nullptr ? *goal : random_tile(level, inner, most);
    if (!tile_allowed(toy_, walk, level, inner, tile)) return std::nullopt;
    LevelStep out = step_to(toy_, level, spatial, inner, tile);
    for (std::size_t k = out.order.size(); k > out.fixed + 1; --k)
      std::swap(out.order[k - 1], out.order[pick(rng_, out.fixed, k - 1)]);
    return out;
  }

  // From the MACs to the tile `goal` of `level`. The levels up to that keep what they like, those outside `outside`.
  std::optional<Walk> walk(int level, const LatticePoint& goal, const KeepMasks& outside) {
    KeepMasks keep = random_keep();
    std::copy(outside.begin() + level + 1, outside.end(), keep.begin() + level + 1);
    Walk walk(toy_, static_cast<u32>(pick(rng_, 0, toy_.model.machine.size() - 1)), keep);
    for (int i = 0; i <= level; ++i) {
      const auto next = step(walk, i, i == level ? &goal : nullptr, goal);
      if (!next) return std::nullopt;
      add_level(toy_, walk, i, *next);
      if (!walk.has_room) return std::nullopt;
    }
    return walk;
  }

  // The steps from the tile that walks have at `level` to the whole problem.
  std::vector<LevelStep> completion(const Walk& from, int level) {
    std::vector<LevelStep> out;
    Walk walk = from;
    for (int i = level + 1; i <= toy_.top(); ++i) {
      const auto next = step(walk, i, i == toy_.top() ? &toy_.lattice.full() : nullptr, toy_.lattice.full());
      if (!next) return {};
      add_level(toy_, walk, i, *next);
      if (!walk.has_room) return {};
      out.push_back(*next);
    }
    return out;
  }

  KeepMasks random_keep() {
    KeepMasks keep = toy_.model.keep.must;
    for (std::size_t i = 0; i < keep.size(); ++i) keep[i] |= static_cast<TensorMask>(toy_.model.keep.may[i] & rng_());
    return keep;
  }

  LatticePoint random_tile(int level, const LatticePoint& inner, const LatticePoint& most) {
    LatticePoint tile = inner;
    for (const LatticeAxis& axis : toy_.lattice.axes())
      for (u64 k = pick(rng_, 0, axis.exponent); k > 0 && chance(rng_, 70); --k) {
        LatticePoint next = tile;
        next.packed += axis.step, next.index += axis.stride, next.extent[axis.dimension] *= axis.prime;
        if (toy_.divides(next, most) && toy_.model.fits(level, toy_.model.keep.may[level], next.extent)) tile = next;
      }
    return tile;
  }

 private:
  const ExactToy& toy_;
  Rng rng_;
};

}  // namespace heliolite::testing

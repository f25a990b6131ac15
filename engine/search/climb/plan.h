#pragma once
// A mapping while it is being searched: loop ends by place and dimension, loop orders, kept tensors. Places
// (docs/glossary.md) are told apart by axis here: in nest order X, Y and temporal of level 0, then of level 1, and so
// on. With perfect factors the ends of a dimension multiply to its size; else each is the iterations of a loop that may
// end early, and the residuals follow from the ends (docs/rules/any_factors.md).
#include <array>

#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/search/core/objective.h"
#include "engine/space/nest_writer.h"

namespace heliolite {

inline constexpr int kMaxLoopPlaces = 3 * kMaxLevels;

// The number of a place, and its level and kind.
constexpr int loop_place_of(LoopKind kind, int level) { return 3 * level + static_cast<int>(kind); }
constexpr int level_of(int loop_place) { return loop_place / 3; }
constexpr LoopKind kind_of(int loop_place) { return static_cast<LoopKind>(loop_place % 3); }

// [place][dimension]: iterations; 1: no loop.
using LoopEnds = std::array<Extents, kMaxLoopPlaces>;

// `Orders`: how a search writes the loop orders of all levels.
template <class Orders>
struct PlanWith {
  LoopEnds factor;
  Orders order{};
  std::array<TensorMask, kMaxLevels> keep{};  // [level]: tensors kept

  PlanWith() {
    for (Extents& f : factor) f.fill(1);
  }
  // Iterations of a dimension over time at a level.
  u32& temporal(int level, int d) { return factor[loop_place_of(LoopKind::Temporal, level)][d]; }
  u32 temporal(int level, int d) const { return factor[loop_place_of(LoopKind::Temporal, level)][d]; }
  auto operator<=>(const PlanWith&) const = default;
};

// With perfect factors, each order an index into Ladder::orders(level). A partial plan has factors 1 where nothing is
// decided yet.
using Plan = PlanWith<std::array<u16, kMaxLevels>>;

// A plan of all tile sizes: at each level every dimension of size above 1 that may loop there.
using TilePlan = PlanWith<LevelOrders>;

// The cost of a plan and its value for the objective; both mean nothing if it does not fit.
struct Score {
  bool fits = false;
  Cost cost;
  Value value = Value::worst();
};

// A complete plan with its score.
template <class P>
struct Scored {
  P plan;
  Score score;

  // Canonical order: by value, then by the plan itself.
  bool better_than(const Scored& other) const {
    if (score.value != other.score.value) return score.value < other.score.value;
    return plan < other.plan;
  }
};
using Candidate = Scored<Plan>;

}  // namespace heliolite

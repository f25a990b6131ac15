#pragma once
// A plan on its way through the level-by-level search: every fan-out is decided, and the levels below some level.
#include <utility>

#include "engine/search/sunstone/ladder.h"

namespace heliolite {

struct PartialPlan {
  Plan plan;
  Extents rest = unit_extents();  // what is left of every dimension, for the loops over time still to come
  Score score;

  bool before(const PartialPlan& other) const {
    if (score.value != other.score.value) return score.value < other.score.value;
    return plan < other.plan;
  }
};

// The product of the plan's factors in the fan-outs of level 0 .. `level`.
Extents unrolled_through(const Mapspace& space, const Plan& plan, int level);

// The tile of `level`: loops over time of level 0 .. `level` as well.
Extents tile_through(const Mapspace& space, const Plan& plan, int level);

// Whether the limits leave a place for every dimension's rest: loops over time of levels `first` and on, fan-outs of
// the levels outside `unrolled`.
bool rest_can_be_placed(const Mapspace& space, const Extents& rest, int first, int unrolled);

// Prices the plan up to level `outer`. What is unrolled outside it counts as loops there that run side by side: the
// ladder takes those fan-outs for full.
void judge(Ladder& ladder, PartialPlan& p, int outer);

// The same, with orders of levels `first` .. `outer` chosen first.
void judge_with_orders(Ladder& ladder, PartialPlan& p, int first, int outer);

}  // namespace heliolite

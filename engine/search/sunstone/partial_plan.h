#pragma once
// A plan on its way through the level-by-level search: every fan-out is decided, and the levels below some level.
#include <utility>

#include "engine/search/sunstone/ladder.h"

namespace heliolite {

// A plan with what it leaves open and its price.
struct PartialPlan {
  Plan plan;
  Extents rest = unit_extents();  // [dimension]: iterations left for the temporal loops still to come
  Score score;

  // Canonical order: by value, then by the plan itself.
  bool before(const PartialPlan& other) const {
    if (score.value != other.score.value) return score.value < other.score.value;
    return plan < other.plan;
  }
};

// [dimension]: the product of the plan's spatial factors of levels 0 .. `level`.
Extents unrolled_through(const Mapspace& space, const Plan& plan, int level);

// The tile of `level`: the product of the spatial and temporal factors of levels 0 .. `level`.
Extents tile_through(const Mapspace& space, const Plan& plan, int level);

// Whether the machine's limits leave a place for `rest`: in the temporal loops of level `first` and the levels outside
// it, and in the fan-outs of the levels outside `unrolled`.
bool rest_can_be_placed(const Mapspace& space, const Extents& rest, int first, int unrolled);

// Sets p.score to the price of the plan up to level `outer`. What the plan unrolls outside that level is priced as
// loops at it, and the cycles are divided by the instances that the plan uses there.
void judge(Ladder& ladder, PartialPlan& p, int outer);

// judge() after choosing the loop orders of levels `first` .. `outer`.
void judge_with_orders(Ladder& ladder, PartialPlan& p, int first, int outer);

}  // namespace heliolite

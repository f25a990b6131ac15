#pragma once
// A plan on its way through the level-by-level search, and how the tiles inside it grow: every fan-out is decided, and
// the levels below some level.
#include <array>
#include <span>
#include <vector>

#include "engine/search/sunstone/ladder.h"
#include "engine/space/divisors.h"

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

// Tiles of the levels inside the outermost fan-out, grown instead of enumerated: a prime more of one dimension at one
// level, as long as that is cheaper.

// Grows the tiles of some levels of partial plans.
class TileGrowth {
 public:
  // Tiles of levels first .. outer - 1 grow; plans are priced up to level `outer`. `tables[d]`: the divisors of the
  // size of dimension d.
  TileGrowth(Ladder& ladder, std::span<const DivisorTable> tables, int first, int outer);

  // Grows from no loops at these levels, in p. Returns false if the machine's limits allow no tile.
  bool grow(PartialPlan& p) { return grow_first(p, kEveryDimension); }

  // grow() in two parts, the first step at each level and the rest. begin() returns false as grow() does.
  bool begin(PartialPlan& p);
  void finish(PartialPlan& p);

  // Removes the loops of these levels from p.
  void strip(PartialPlan& p) const;

  // Tries to better the tiles by growing, for each tensor, its dimensions before all others.
  void regrow(PartialPlan& p);

 private:
  static constexpr DimensionMask kEveryDimension = 0xffff;
  static constexpr int kRounds = 2;  // rounds of growing and choosing orders

  bool grow_first(PartialPlan& p, DimensionMask first);
  bool start(PartialPlan& p);
  bool enlarge(PartialPlan& p);
  bool enlarge(PartialPlan& p, int d, int level);
  bool try_factor(PartialPlan& p, int d, int level, u32 by);

  Ladder& ladder_;
  const Mapspace& space_;
  int first_, outer_;
  std::array<DimensionMask, kMaxLevels> hopeful_{};      // where the next step may be cheaper
  std::array<std::vector<u32>, kMaxDimensions> primes_;  // [dimension]: primes of its size
};

}  // namespace heliolite

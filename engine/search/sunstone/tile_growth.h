#pragma once
// Tiles of the levels inside the outermost fan-out, grown instead of enumerated: a prime more of one dimension at one
// level, as long as that is cheaper.
#include <array>
#include <span>
#include <vector>

#include "engine/search/sunstone/partial_plan.h"
#include "engine/space/divisors.h"

namespace heliolite {

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

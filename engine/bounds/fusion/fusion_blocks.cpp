#include "engine/bounds/fusion/fusion_blocks.h"

#include <algorithm>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/bounds/curve/orojenesis_tiles.h"

namespace heliolite {

u64 RowBlocks::in(u64 all_rows) const { return all_rows / span * ceil_div(span, rows); }

u64 RowBlocks::rounds(const FusedLink& f) const { return f.group_rows <= rows ? 1 : in(f.group_rows); }

std::vector<RowBlocks> row_blocks(const FusedRows& segment, bool perfect) {
  // Of groups and pictures: a block is part of one or made of whole ones.
  std::vector<u64> units{std::gcd(segment.group, segment.picture), segment.picture, segment.rows};
  for (const FusedLink& f : segment.links) units.push_back(f.group_rows);
  std::ranges::sort(units);
  units.erase(std::unique(units.begin(), units.end()), units.end());
  const auto nests = [&](u64 size) {
    return std::ranges::all_of(units, [&](u64 unit) { return unit % size == 0 || size % unit == 0; });
  };
  std::vector<RowBlocks> all;
  u64 whole = 1;  // blocks of the next span are made of these
  bool between = false;
  for (const u64 unit : units) {
    if (!nests(unit)) {
      between = true;  // units that do not nest: up to the next one that does, blocks of its size alone
      continue;
    }
    const u64 pieces = unit / whole;
    const auto sizes = tile_sizes(pieces, perfect || pieces > kMaxBlockSpan ? TileSizes::Divisors : TileSizes::Least);
    for (const u64 size : sizes) {
      const bool known = size == 1 && whole > 1;  // the whole span before
      if (between ? size == pieces : !known) all.push_back({size * whole, unit});
    }
    whole = unit;
    between = false;
  }
  return all;
}

}  // namespace heliolite

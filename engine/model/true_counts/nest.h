#pragma once
// The loops of a mapping as true counts read them (docs/cost_model.md, rules 31 and 32): every tile size is allowed,
// and the last tile of a dimension is as short as the size leaves it.
#include <array>
#include <bit>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/model/nest.h"

namespace heliolite {

// One loop. Without initialisers, as the nest.
struct TruePlace {
  u32 end;     // sub-tiles of a full tile
  u32 last;    // sub-tiles of the dimension's last tile: 1 .. end
  u32 inside;  // nominal tile inside the loop: distance of two sub-tiles in the dimension
  u8 dimension, level;
};

// Loops 0 .. l - 1.
inline LoopMask loops_before(int l) { return l >= kMaxLoops ? ~LoopMask{0} : (LoopMask{1} << l) - 1; }

// Groups of tiles of one dimension, followed from the outermost loop inwards (rule 33): `full` ones, and the `last`
// one, which may be shorter: 1, or 0 when it is not among those that are counted.
struct TrueCells {
  u64 full = 0, last = 1;

  u64 count() const { return full + last; }
  void all(const TruePlace& p) { full = full * p.end + last * (p.last - 1); }
  // Only the sub-tile with this digit.
  void only(u32 digit, const TruePlace& p) {
    if (digit + 1 < p.last) full += last;
    if (digit + 1 != p.last) last = 0;
  }
  // All but the first sub-tile.
  void advanced(const TruePlace& p) {
    if (p.last == 1) last = 0;
    full = full * (p.end - 1) + (last == 0 ? 0 : p.last - 2);
  }
};

// Which instances are counted: those with these digits in the spatial loops of `fixed`, and all others.
struct UnitDigits {
  LoopMask fixed = 0;
  std::array<u32, kMaxLoops> digit;
};

// Without initialisers: built per evaluation, and only what is used is written.
struct TrueNest {
  std::array<TruePlace, kMaxLoops> place;  // innermost first; loops that the sizes leave nothing to do are dropped
  int loop_count, level_count, dimension_count;
  LoopMask spatial;
  std::array<LoopMask, kMaxDimensions> of;   // [dimension]: its loops
  std::array<LoopMask, kMaxLevels> fanout;   // [level]: its spatial loops
  std::array<LoopMask, kMaxLevels> columns;  // [level]: those along X
  std::array<u8, kMaxLevels + 1> first;      // [level]: index of its first loop; the last: loop_count
  std::array<Extents, kMaxLevels + 1> tile;  // [level]: nominal tile of all loops inside it; the last: of all loops
  std::array<u64, kMaxLevels> product_x, product_y;  // [level]: product of its spatial ends along X and along Y
  std::array<u64, kMaxLevels> used;                  // [level]: instances that ever work
  u64 macs_used;                                     // compute units that ever work
  u64 steps;                                         // steps of the compute units, in lockstep
  bool divides;                                      // every factor does

  TrueNest(const Compiled& c, const Mapping& m);

  LoopMask all() const { return loops_before(loop_count); }
  LoopMask temporal() const { return all() & ~spatial; }
  LoopMask outside(int level) const { return all() & ~loops_before(first[level]); }  // loops of levels >= level
  // Spatial loops of levels low .. high.
  LoopMask fanouts(int low, int high) const {
    return spatial & ~loops_before(first[low]) & loops_before(first[high + 1]);
  }

  // Tiles of dimension d that the loops `places` make: of those in `frozen` the first sub-tile alone, of those in
  // `advanced` all but the first, of the spatial ones in unit.fixed that with the unit's digit.
  TrueCells cells(int d, LoopMask places, LoopMask frozen, LoopMask advanced, const UnitDigits& unit) const {
    TrueCells out;
    for (LoopMask rest = of[d] & places; rest != 0;) {
      const int l = std::bit_width(rest) - 1;
      const LoopMask bit = LoopMask{1} << l;
      rest ^= bit;
      const TruePlace& p = place[l];
      if ((frozen & bit) != 0) out.only(0, p);
      else if ((advanced & bit) != 0) out.advanced(p);
      else if ((unit.fixed & bit) != 0) out.only(unit.digit[l], p);
      else out.all(p);
    }
    return out;
  }
};

// Words of the box of tensor t for a nominal tile, cut at the sizes (rule 4).
u64 true_box_words(const Compiled& c, const CompiledTensor& t, const Extents& tile);

// Which factors a temporal loop need have when all tile sizes are allowed (docs/rules/true_counts.md, "Candidates").

// A temporal loop over one dimension, to be placed around tiles that are there.
struct PlacedLoop {
  u32 tiles = 1;                 // ceil(size / tile inside): what the loop and those outside it go through
  bool tile_divides = true;      // the tile inside divides the size
  bool spatial_inside = false;   // a spatial loop over the dimension lies inside
  bool spatial_outside = false;  // one lies, or may come, outside
};

// Ascending factors such that for any mapping of a workload without sliding ranks, with any factor here, one of these
// in its place, and the loops outside as they are, costs no more: no count, no cycle and no tile is larger.
inline std::vector<u32> candidate_ends(const PlacedLoop& loop) {
  std::vector<u32> out;
  for (u32 end = 1; end <= loop.tiles;) {
    const u32 groups = (loop.tiles - 1) / end + 1;
    const u32 largest = groups == 1 ? loop.tiles : (loop.tiles - 1) / (groups - 1);  // with as many groups
    out.push_back(end);
    for (u32 other = loop.spatial_outside ? end + 1
                     : largest > end + 1  ? largest - 1
                                          : end + 1;
         other <= largest; ++other) {
      const u32 last = loop.tiles - (groups - 1) * other;
      const bool lone = last == 1, pair = last == 2 && loop.spatial_inside && !loop.tile_divides;
      if (loop.spatial_outside || lone || pair) out.push_back(other);
    }
    end = largest + 1;
  }
  return out;
}

}  // namespace heliolite

#pragma once
// The loops of a mapping as true counts read them (docs/cost_model.md, rules 31 and 32): every tile size is allowed,
// and the last tile of a dimension is as short as the size leaves it.
#include <array>
#include <bit>

#include "engine/base/integers.h"
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

}  // namespace heliolite

// Rule 36: tensors none of whose ranks slides. Their words are sums of products over dimensions.
#include "engine/model/true_counts/fetches.h"

#include <algorithm>

#include "engine/model/true_counts/sliding.h"

namespace heliolite {
namespace {

// Base tiles among the first `tiles` of the inner loops that belong to the unit; `last`: whether the last one does.
// `base`: size of a base tile.
TrueCells unit_tiles(const TrueNest& nest, LoopMask inner, u32 base, u32 tiles, const UnitDigits& unit) {
  if (tiles == 0) return {0, 0};
  TrueCells out;
  for (LoopMask rest = inner; rest != 0;) {
    const int l = std::bit_width(rest) - 1;
    rest ^= LoopMask{1} << l;
    TruePlace p = nest.place[l];
    p.last = (tiles - 1) / (p.inside / base) % p.end + 1;
    if (contains(unit.fixed, l)) out.only(unit.digit[l], p);
    else out.all(p);
  }
  return out;
}

// One dimension of the tensor at one boundary.
class PlainDimension {
 public:
  PlainDimension(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary, int d,
                 const UnitDigits& unit)
      : t_(t), nest_(nest), unit_(unit), d_(d), size_(c.size[d]), base_(nest.tile[boundary][d]) {
    loops_ = nest.of[d] & nest.outside(boundary);
    tiles_ = (size_ - 1) / base_ + 1;
    short_ = size_ - (tiles_ - 1) * base_;
    full_words_ = words(std::min(base_, size_));
    short_words_ = words(short_);
  }

  // Words of all base tiles of the unit.
  u64 all() const {
    const TrueCells cells = nest_.cells(d_, loops_, 0, 0, unit_);
    return cells.full * full_words_ + cells.last * short_words_;
  }

  // Words of the unit's base tiles that none of the temporal loops `inner` moves: where each has a single iteration.
  u64 still(LoopMask inner) const {
    const LoopMask moving = inner & loops_;
    if (moving == 0) return all();
    const int l = std::countr_zero(moving);
    const TruePlace& p = nest_.place[l];
    if (p.last > 2) return 0;
    for (const int k : bits(moving & (moving - 1)))
      if (nest_.place[k].last > 1) return 0;
    for (const int k : bits(loops_ & nest_.spatial & unit_.fixed & ~loops_before(l)))
      if (unit_.digit[k] + 1 != nest_.place[k].last) return 0;
    // In the last group of the loop its sub-tiles are as long as `reach` base tiles, and the units stand side by side
    // in them: those that find nothing in a second one do not move.
    const u32 reach = p.inside / base_, group = reach * p.end;
    const u32 rest = tiles_ - (tiles_ - 1) / group * group;
    const LoopMask side = loops_ & nest_.spatial & loops_before(l);
    const TrueCells to = unit_tiles(nest_, side, base_, std::min(rest, reach), unit_);
    if (rest <= reach) return to.full * full_words_ + to.last * short_words_;
    return (to.count() - unit_tiles(nest_, side, base_, rest - reach, unit_).count()) * full_words_;
  }

 private:
  u64 words(u32 extent) const {
    u64 n = 1;
    for (int k = t_.first_of[d_]; k < t_.first_of[d_ + 1]; ++k)
      n *= 1 + u64{t_.by_dimension[k].coefficient} * (extent - 1);
    return n;
  }

  const CompiledTensor& t_;
  const TrueNest& nest_;
  const UnitDigits& unit_;
  int d_;
  u32 size_, base_, tiles_, short_;
  LoopMask loops_;
  u64 full_words_, short_words_;
};

void plain_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                   const UnitDigits& unit, Fetches& out) {
  LoopMask moving = 0;
  u64 left = 1;  // words that no loop so far has moved
  std::array<u64, kMaxDimensions> still;
  for (const int d : bits(t.indexing)) {
    still[d] = PlainDimension(c, t, nest, boundary, d, unit).all();
    left *= still[d];
    moving |= nest.of[d];
  }
  const LoopMask time = nest.outside(boundary) & nest.temporal();
  moving &= time;
  for (const int l : bits(moving)) {
    if (left == 0) return;
    const int d = nest.place[l].dimension;
    const u64 before = left;
    still[d] = PlainDimension(c, t, nest, boundary, d, unit).still(time & loops_before(l + 1));
    left = 1;
    for (const int e : bits(t.indexing)) left *= still[e];
    out.add({before - left, before - left}, time & loops_before(l));
  }
  out.add({left, left}, time);
}

}  // namespace

void count_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                   const UnitDigits& unit, Fetches& out) {
  out.count = 0;
  if (boundary > 0 || units_meet(t, nest, 0, 0))
    return t.sliding ? sliding_fetches(c, t, nest, boundary, unit, out)
                     : plain_fetches(c, t, nest, boundary, unit, out);
  u64 words = 1;  // one for each MAC
  for (const int d : bits(t.indexing)) words *= nest.cells(d, nest.all(), 0, 0, unit).count();
  out.add({words, words}, 0);
}

}  // namespace heliolite

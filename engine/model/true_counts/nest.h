#pragma once
// The loops of a mapping as true counts read them (docs/cost_model.md, rules 31 and 32): every tile size is allowed,
// and the last tile of a dimension is as short as the size leaves it. And what a step of the nest does to the tiles of
// single dimensions, and to boxes of a tensor, which they make (rules 35 and 37).
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>
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

// What a step does to the tiles of single dimensions.

// Loops are named by their place in the nest.
inline constexpr u8 kNoLoop = 255;

// Which steps of the nest are looked at.
struct StepKind {
  enum : u8 { First, Loop, Every } what;
  int loop = 0;  // for Loop: the outermost temporal loop that advances; those inside it start again
};

// Tiles of one dimension that the step brings to `run` neighbouring units of the innermost fan-out, in `count`
// contexts.
struct TileStep {
  u64 count;
  u32 run;
  u32 context;  // steps with different contexts happen at other times or under other instances
  u8 mover;     // the innermost loop inside that had moved the tile; kNoLoop: none
  u32 extent;   // of the tile, and of the one that is held
  u32 held;
  i64 move;  // from the held tile to this one
  i64 low;   // where the first unit's tile begins, from where the context begins
};

// Appends the tiles of dimension d that such a step brings to the units, at the boundary inside the loops of levels >=
// `boundary`.
void add_tile_steps(const Compiled& c, const TrueNest& nest, int boundary, int d, StepKind step, const UnitDigits& unit,
                    std::vector<TileStep>& out);

// From the tiles of single dimensions to boxes of a tensor: all combinations of what a step does to each dimension.

// A tensor's box at a step, along each rank; offsets are from the box's low corner.
struct BoxStep {
  u64 count = 1;                                  // contexts
  u64 units = 1;                                  // units of the innermost fan-out in each context
  u8 mover = kNoLoop;                             // the innermost loop inside that had moved the box
  std::array<i64, kMaxRanks> extent, held, move;  // of the box, of the held one, from that one to this
};

// Words of a step's fetch, and what of the box is still there.
struct BoxFetch {
  u64 words;
  bool keeps;                            // some of the box is held
  std::array<i64, kMaxRanks> low, high;  // of that part, if there is one
};

class StepProducts {
 public:
  StepProducts(const CompiledTensor& t, const TrueNest& nest) : t_(t), nest_(nest) {}

  // Calls leaf(BoxStep, span of const TileStep*) for all combinations of one step of each of `steps`, the dimensions
  // `dimension`.
  template <class Leaf>
  void each(std::span<const u8> dimension, std::span<const std::vector<TileStep>* const> steps, Leaf&& leaf) {
    BoxStep box;
    for (std::size_t r = 0; r < t_.rank_count; ++r) box.extent[r] = box.held[r] = 1, box.move[r] = 0;
    descend(0, dimension, steps, box, leaf);
  }

  // Where a box has gone: back to where the loops inside began, or on as the innermost of them that moved it.
  struct Going {
    bool back, on;
  };
  Going going(const BoxStep& box) const {
    Going out{true, box.mover != kNoLoop};
    std::array<i64, kMaxRanks> stride{};
    if (out.on) {
      const TruePlace& p = nest_.place[box.mover];
      for (int k = t_.first_of[p.dimension]; k < t_.first_of[p.dimension + 1]; ++k)
        stride[t_.by_dimension[k].rank] += i64{t_.by_dimension[k].coefficient} * p.inside;
    }
    for (std::size_t r = 0; r < t_.rank_count; ++r) {
      out.back &= box.move[r] == 0;
      out.on &= box.move[r] == stride[r];
    }
    return out;
  }

  // All words of the box, and those that are in the held one, too.
  std::pair<u64, u64> words(const BoxStep& box) const {
    u64 full = 1, common = 1;
    for (std::size_t r = 0; r < t_.rank_count; ++r) {
      full *= static_cast<u64>(box.extent[r]);
      const i64 low = std::max<i64>(0, -box.move[r]), high = std::min(box.extent[r], box.held[r] - box.move[r]);
      common *= static_cast<u64>(std::max<i64>(0, high - low));
    }
    return {full, common};
  }

  // What the step fetches (rule 35).
  BoxFetch fetch(const BoxStep& box, bool first) const {
    BoxFetch out;
    const auto [full, common] = words(box);
    out.keeps = !first && common != 0;
    if (out.keeps && box.mover != kNoLoop) {
      const Going to = going(box);
      out.keeps = to.back || to.on;
    }
    for (std::size_t r = 0; r < t_.rank_count && out.keeps; ++r) {
      out.low[r] = std::max<i64>(0, -box.move[r]);
      out.high[r] = std::min(box.extent[r], box.held[r] - box.move[r]);
    }
    out.words = full - (out.keeps ? common : 0);
    return out;
  }

 private:
  template <class Leaf>
  void descend(std::size_t k, std::span<const u8> dimension, std::span<const std::vector<TileStep>* const> steps,
               const BoxStep& box, Leaf& leaf) {
    if (k == dimension.size()) return leaf(box, std::span<const TileStep* const>(chosen_.data(), k));
    const u8 d = dimension[k];
    for (const TileStep& s : *steps[k]) {
      chosen_[k] = &s;
      BoxStep next;
      next.count = box.count * s.count;
      next.units = box.units * s.run;
      next.mover = contains(t_.indexing, d) ? std::min(box.mover, s.mover) : box.mover;
      for (std::size_t r = 0; r < t_.rank_count; ++r)
        next.extent[r] = box.extent[r], next.held[r] = box.held[r], next.move[r] = box.move[r];
      for (int j = t_.first_of[d]; j < t_.first_of[d + 1]; ++j) {
        const CompiledTerm& term = t_.by_dimension[j];
        const i64 c = term.coefficient;
        next.extent[term.rank] += c * (i64{s.extent} - 1);
        next.held[term.rank] += c * (i64{s.held} - 1);
        next.move[term.rank] += c * s.move;
      }
      descend(k + 1, dimension, steps, next, leaf);
    }
  }

  const CompiledTensor& t_;
  const TrueNest& nest_;
  std::array<const TileStep*, kMaxDimensions> chosen_;
};

// The tiles that steps bring to some dimensions, asked for from the innermost loop outwards.

// Between two steps only dimensions with another loop inside change: all others are kept. One at a time per thread.
class StepsOutwards {
 public:
  StepsOutwards(const Compiled& c, const TrueNest& nest, int boundary, const UnitDigits& unit, DimensionMask dimensions)
      : c_(c), nest_(nest), unit_(unit), boundary_(boundary) {
    for (const int d : bits(dimensions)) dimension_[count_++] = static_cast<u8>(d);
  }

  std::span<const u8> dimensions() const { return {dimension_.data(), at(count_)}; }

  // The tiles of each dimension at such a step, in the order of dimensions().
  std::span<const std::vector<TileStep>* const> at_step(StepKind step) {
    for (std::size_t k = 0; k < at(count_); ++k) {
      const int d = dimension_[k];
      const bool own = step.what == StepKind::Loop && nest_.place[step.loop].dimension == d;
      std::vector<TileStep>& list = own ? own_ : inner_[k];
      list_[k] = &list;
      const LoopMask inside = nest_.of[d] & loops_before(step.loop);
      if (!own && step.what == StepKind::Loop && known_[k] && inside == inside_[k]) continue;
      list.clear();
      add_tile_steps(c_, nest_, boundary_, d, step, unit_, list);
      if (own) continue;
      inside_[k] = inside;
      known_[k] = step.what == StepKind::Loop;
    }
    return {list_.data(), at(count_)};
  }

 private:
  using Lists = std::array<std::vector<TileStep>, kMaxDimensions>;

  const Compiled& c_;
  const TrueNest& nest_;
  const UnitDigits& unit_;
  int boundary_, count_ = 0;
  std::array<u8, kMaxDimensions> dimension_;
  std::array<bool, kMaxDimensions> known_{};
  std::array<LoopMask, kMaxDimensions> inside_;
  std::array<const std::vector<TileStep>*, kMaxDimensions> list_;
  Lists& inner_ = inner_lists();
  std::vector<TileStep>& own_ = own_list();

  // Storage that evaluations one after the other share.
  static Lists& inner_lists() {
    thread_local Lists lists;
    return lists;
  }
  static std::vector<TileStep>& own_list() {
    thread_local std::vector<TileStep> list;
    return list;
  }
};

}  // namespace heliolite

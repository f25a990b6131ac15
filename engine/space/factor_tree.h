#pragma once
// The tiles of one level: every way to enlarge a starting tile by divisors of what is left of each dimension,
// as far as the buffers allow. The nodes form a product of chains (one chain of divisors per dimension), and
// what fits is closed downwards, so an odometer over the chains meets each node once: there is no visited set
// and nothing is stored. Rule T1 keeps the maximal tiles (docs/rules/tiles.md).
#include <algorithm>
#include <array>
#include <concepts>
#include <span>
#include <type_traits>

#include "engine/base/types.h"
#include "engine/space/divisors.h"
#include "engine/space/footprint.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// The tiles to be walked.
struct TileSpace {
  Extents start = unit_extents();                           // the tile below the level's loops, fan-out included
  std::array<std::span<const u32>, kMaxDimensions> factor;  // [dimension]: multipliers, ascending; empty: no tile
  u8 dimension_count = 0;
};

// The tiles that enlarge `start` by divisors of `left[d]` (a divisor of the table's bound) within the limits.
// `tables[d]` must outlive the space. A dimension without a divisor inside its limits leaves its span empty: no tile
// exists.
inline TileSpace make_tile_space(std::span<const DivisorTable> tables, const Extents& start, const Extents& left,
                                 const FactorLimits& limits) {
  TileSpace space;
  space.start = start;
  space.dimension_count = static_cast<u8>(tables.size());
  for (std::size_t d = 0; d < tables.size(); ++d) {
    const std::span<const u32> all = tables[d].of(left[d]);
    const auto first = std::lower_bound(all.begin(), all.end(), limits[d].min);
    const auto last = std::upper_bound(first, all.end(), limits[d].max);
    space.factor[d] = {first, last};
  }
  return space;
}

// Which rules apply.
struct TileRules {
  bool maximal = true;  // T1, "maximal-tiles": a tile that can grow (within its tag) is dropped
};

// Numbers of what a walk did.
struct TileCounts {
  u64 tiles = 0;          // given to the visitor
  u64 tests = 0;          // questions to `tag`
  u64 over_capacity = 0;  // subtrees cut because their smallest tile does not fit
  u64 not_maximal = 0;    // tiles and subtrees cut by T1
};

// A tile's tag: which of several possible memories it needs, >= 0, or kDoesNotFit. Growing a tile must never
// make it fit again, and tiles between two of the same tag must have that tag (true when each component of the
// tag is the smallest memory that holds some footprint). With one memory: fits ? 0 : kDoesNotFit.
inline constexpr int kDoesNotFit = -1;

template <class F>
concept TileTag = std::same_as < std::invoke_result_t<F, const Extents&>,
int > ;
template <class F>
concept TileTest = std::same_as < std::invoke_result_t<F, const Extents&>,
bool > ;

namespace detail {

template <class Tag, class Visit>
class TileWalk {
 public:
  TileWalk(const TileSpace& space, TileRules rules, Tag& tag, Visit& visit)
      : space_(space), rules_(rules), tag_(tag), visit_(visit) {
    for (u8 d = 0; d < space.dimension_count; ++d) {
      if (space.factor[d].empty()) empty_ = true;
      if (space.factor[d].size() > 1) dimension_[count_++] = d;
    }
    // The longest chain goes innermost, where T1 takes only the end of each run.
    if (count_ > 0)
      std::iter_swap(std::max_element(dimension_.begin(), dimension_.begin() + count_,
                                      [&](u8 a, u8 b) { return space.factor[a].size() < space.factor[b].size(); }),
                     dimension_.begin() + count_ - 1);
  }

  TileCounts run() {
    if (empty_) return counts_;
    tile_ = space_.start;
    for (u8 d = 0; d < space_.dimension_count; ++d) tile_[d] *= space_.factor[d][0];
    const int root = ask();
    if (root == kDoesNotFit) {
      ++counts_.over_capacity;
    } else if (count_ == 0) {
      give(root);
    } else {
      walk(0, root);
    }
    return counts_;
  }

 private:
  int ask() {
    ++counts_.tests;
    return tag_(static_cast<const Extents&>(tile_));
  }

  u32 extent(u8 d, std::size_t i) const { return space_.start[d] * space_.factor[d][i]; }

  // True: go on.
  bool give(int tag) {
    ++counts_.tiles;
    const Extents& tile = tile_;
    if constexpr (std::is_invocable_r_v<bool, Visit&, const Extents&, int> &&
                  !std::is_void_v<std::invoke_result_t<Visit&, const Extents&, int>>) {
      return visit_(tile, tag);
    } else {
      visit_(tile, tag);
      return true;
    }
  }

  // Chains k.. vary; they stand at their first element and the tile has this tag.
  bool walk(int k, int tag) {
    if (rules_.maximal && k == count_ - 1) return ends_of_runs(tag);
    const u8 d = dimension_[k];
    const std::size_t size = space_.factor[d].size();
    for (std::size_t i = 0; i < size; ++i) {
      tile_[d] = extent(d, i);
      place_[k] = i;
      if (i > 0 && (tag = ask()) == kDoesNotFit) {
        ++counts_.over_capacity;
        break;
      }
      if (rules_.maximal && k < count_ - 1 && i + 1 < size && all_can_grow(k, i, tag)) {
        ++counts_.not_maximal;
        continue;
      }
      if (!(k == count_ - 1 ? give(tag) : walk(k + 1, tag))) return false;
    }
    tile_[d] = extent(d, 0);
    return true;
  }

  // T1 for a whole subtree: with chain k one step on and the inner chains at their ends the tag is still that
  // of the subtree's smallest tile, so every tile in it can grow along k within its tag.
  bool all_can_grow(int k, std::size_t i, int tag) {
    const Extents saved = tile_;
    tile_[dimension_[k]] = extent(dimension_[k], i + 1);
    for (int j = k + 1; j < count_; ++j)
      tile_[dimension_[j]] = extent(dimension_[j], space_.factor[dimension_[j]].size() - 1);
    const bool same = ask() == tag;
    tile_ = saved;
    return same;
  }

  // The innermost chain under T1: of each run of equal tags only the last tile cannot grow along this chain.
  bool ends_of_runs(int tag) {
    const u8 d = dimension_[count_ - 1];
    const std::size_t size = space_.factor[d].size();
    std::size_t first = 0;
    bool keep_going = true;
    while (keep_going) {
      std::size_t low = first, high = size;  // the run is [first, low], high is outside
      int next = kDoesNotFit;                // tag at high
      while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        tile_[d] = extent(d, middle);
        const int at = ask();
        if (at == tag) {
          low = middle;
        } else {
          high = middle;
          next = at;
        }
      }
      counts_.not_maximal += low - first;
      tile_[d] = extent(d, low);
      if (grows_elsewhere(tag)) {
        ++counts_.not_maximal;
      } else {
        keep_going = give(tag);
      }
      if (high == size) break;
      if (next == kDoesNotFit) {
        ++counts_.over_capacity;
        break;
      }
      first = high;
      tag = next;
    }
    tile_[d] = extent(d, 0);
    return keep_going;
  }

  bool grows_elsewhere(int tag) {
    for (int k = 0; k < count_ - 1; ++k) {
      const u8 d = dimension_[k];
      if (place_[k] + 1 == space_.factor[d].size()) continue;
      const u32 saved = tile_[d];
      tile_[d] = extent(d, place_[k] + 1);
      const bool same = ask() == tag;
      tile_[d] = saved;
      if (same) return true;
    }
    return false;
  }

  const TileSpace& space_;
  TileRules rules_;
  Tag& tag_;
  Visit& visit_;
  Extents tile_{};
  std::array<u8, kMaxDimensions> dimension_{};       // those that vary, outermost chain first
  std::array<std::size_t, kMaxDimensions> place_{};  // in the chain, by position in dimension_
  int count_ = 0;
  bool empty_ = false;
  TileCounts counts_;
};

}  // namespace detail

// Calls visit(tile, tag) for every tile that fits, in a fixed order (lexicographic, the longest chain fastest);
// with rule T1 only for those that cannot grow within their tag. A visitor that returns bool stops the walk
// with false.
template <TileTag Tag, class Visit>
TileCounts for_each_tagged_tile(const TileSpace& space, TileRules rules, Tag&& tag, Visit&& visit) {
  return detail::TileWalk<std::remove_reference_t<Tag>, std::remove_reference_t<Visit>>(space, rules, tag, visit).run();
}

// Visits the tiles of one memory: `fits(tile)` must stay false once a tile has grown too large; visit(tile).
template <TileTest Fits, class Visit>
TileCounts for_each_tile(const TileSpace& space, TileRules rules, Fits&& fits, Visit&& visit) {
  auto tag = [&](const Extents& tile) -> int { return fits(tile) ? 0 : kDoesNotFit; };
  auto give = [&](const Extents& tile, int) { return visit(tile); };
  return for_each_tagged_tile(space, rules, tag, give);
}

}  // namespace heliolite

#pragma once
// A mapping while its loops are placed from the inside out, and what each dimension has left to do.
#include <array>
#include <span>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"

namespace heliolite {

// A loop around `end` tiles; in the dimension's last context it has `last` of them (docs/cost_model.md, rule 32).
struct TrailLoop {
  u32 end, last;
  u8 dimension, level;
  LoopKind kind;

  bool is_spatial() const { return kind != LoopKind::Temporal; }
};

// One dimension.
struct TrailDimension {
  u32 tiles = 1;           // of the present tile: what the loops to come go through
  u64 tile = 1;            // nominal
  u32 more = 0;            // also stands for all numbers that are larger by up to this
  u64 full = 1, last = 1;  // steps of a unit for a full tile, and for the dimension's last one (rule 34)

  // The largest of the numbers that it stands for.
  u64 most_tiles() const { return u64{tiles} + more; }

  // Steps if all loops to come are temporal.
  u64 steps() const { return (u64{tiles} - 1) * full + last; }
};

class Trail {
 public:
  explicit Trail(const Compiled& c) {
    for (int d = 0; d < c.dimension_count; ++d) of_[d].tiles = widest_[d] = c.size[d];
  }

  int size() const { return count_; }
  const TrailLoop& operator[](int l) const { return loop_[l]; }
  const TrailDimension& of(int d) const { return of_[d]; }
  // Nominal, of the loop's dimension: of all its iterations together.
  u64 tile_of(int l) const { return before_[l].tile * loop_[l].end; }

  // The loops to come are those of level i, or further out.
  void begin(int level) {
    at_begin_[level] = of_;
    first_[level] = static_cast<u8>(count_);
  }
  // The dimensions, and the number of loops, when the level began.
  const std::array<TrailDimension, kMaxDimensions>& at_begin(int level) const { return at_begin_[level]; }
  int first(int level) const { return first_[level]; }

  // Pretends that each dimension has `least` tiles, or `most`, or any number between, of `widest` elements at most.
  void set_tiles(std::span<const u32> least, std::span<const u32> most, std::span<const u32> widest) {
    for (std::size_t d = 0; d < least.size(); ++d) {
      of_[d].tiles = least[d], of_[d].more = most[d] - least[d];
      widest_[d] = widest[d];
    }
  }
  u64 widest(int d) const { return widest_[d]; }

  // From now on the tiles of levels further out than the innermost may be any, whatever begin() has seen.
  void let_tiles_be_any(bool any) { any_tiles_ = any; }
  bool knows_tiles(int level) const { return level == 0 || !any_tiles_; }

  // A loop with 1 < end <= of(d).tiles around what is there.
  void push(LoopKind kind, int level, int d, u32 end) {
    TrailDimension& now = of_[d];
    before_[count_] = now;
    const u32 tiles = (now.tiles - 1) / end + 1, last = now.tiles - (tiles - 1) * end;
    loop_[count_++] = {end, last, static_cast<u8>(d), static_cast<u8>(level), kind};
    if (kind == LoopKind::Temporal) now.last += (u64{last} - 1) * now.full, now.full *= end;
    else if (last > 1) now.last = now.full;
    now.tiles = tiles;
    now.tile *= end;
  }
  void pop() {
    --count_;
    of_[loop_[count_].dimension] = before_[count_];
  }

 private:
  std::array<TrailLoop, kMaxLoops> loop_;
  std::array<TrailDimension, kMaxLoops> before_;  // [loop]: its dimension without it
  std::array<TrailDimension, kMaxDimensions> of_;
  std::array<std::array<TrailDimension, kMaxDimensions>, kMaxLevels> at_begin_;
  std::array<u8, kMaxLevels> first_;
  std::array<u32, kMaxDimensions> widest_{};
  int count_ = 0;
  bool any_tiles_ = false;
};

// Tiles of a dimension as the loops outside will make them: `full` of the contexts that are not the last one, `last` of
// that one (rule 33, read from the inside outwards).
// Without initialisers: kOneCell is where to begin.
struct TrailCells {
  u64 full, last;

  void all(const TrailLoop& l) { last += full * (u64{l.last} - 1), full *= l.end; }
  // Only the first sub-tile counts.
  void first(const TrailLoop& l) {
    if (l.last > 1) last = full;
  }
  // If all loops to come count, and if of all only the first sub-tile does.
  u64 if_all(u32 tiles) const { return full * (u64{tiles} - 1) + last; }
  u64 if_first(u32 tiles) const { return tiles > 1 ? full : last; }
};
inline constexpr TrailCells kOneCell{1, 1};

}  // namespace heliolite

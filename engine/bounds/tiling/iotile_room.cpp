// Nested tiles against the capacities they must fit, and where searches for good ones begin.
#include "engine/bounds/tiling/iotile_search.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/space/footprint.h"

namespace heliolite {
namespace {

// Starts from mixed-up tiles besides the regular ones; more of them rarely find anything better.
constexpr int kMixedStarts = 6;

// One dimension after the other is streamed: boxes slide along it or are kept over it. Filters are whole, or streamed
// too while the windows of the image are held.
void add_streaming_starts(const TilingProblem& problem, TileRoom room, u32 slowness, std::vector<TileStart>& starts) {
  DimensionMask taps = 0, all = 0;
  for (int d = 0; d < problem.dimensions; ++d) {
    all |= dimension_bit(d);
    if (problem.size[d] <= kMostTaps) taps |= dimension_bit(d);
  }
  const auto others = [all](DimensionMask dimensions) { return static_cast<DimensionMask>(all & ~dimensions); };
  for (int d = 0; d < problem.dimensions; ++d) {
    if (problem.size[d] == 1) continue;
    const auto fixed = static_cast<DimensionMask>(dimension_bit(d) | taps);
    room.hold(0);
    starts.push_back({room.grown(room.grown(room.units(), taps, slowness), others(dimension_bit(d)), slowness), fixed});
    room.hold(taps);
    if (room.fits(room.units())) starts.push_back({room.grown(room.units(), others(fixed), slowness), fixed, taps});
  }
}

}  // namespace

NestedTiles TileRoom::units() const { return NestedTiles(caches_.size(), unit_extents()); }

u32 TileRoom::most(const NestedTiles& tiles, std::size_t level, int d) const {
  return level + 1 < tiles.size() ? tiles[level + 1][d] : problem_.size[d];
}

bool TileRoom::fits(const NestedTiles& tiles, std::size_t level) const {
  if (held_ == 0) return box_words(problem_, tiles[level]) <= caches_[level].capacity;
  double words = 0;
  for (const TiledTensor& tensor : problem_.tensors) {
    Extents box = tiles[level];
    for (int d = 0; d < problem_.dimensions; ++d)
      if ((held_ & tensor.sliding & dimension_bit(d)) != 0) box[d] = most(tiles, level, d);
    words += box_words(tensor, box);
  }
  return words <= caches_[level].capacity;
}

bool TileRoom::fits(const NestedTiles& tiles) const {
  for (std::size_t l = 0; l < tiles.size(); ++l)
    if (!fits(tiles, l)) return false;
  return true;
}

void TileRoom::set(NestedTiles& tiles, std::size_t level, int d, u32 extent) {
  tiles[level][d] = extent;
  for (std::size_t l = 0; l < level; ++l) tiles[l][d] = std::min(tiles[l][d], extent);
  for (std::size_t l = level + 1; l < tiles.size(); ++l) tiles[l][d] = std::max(tiles[l][d], extent);
}

u32 TileRoom::largest_fitting(NestedTiles tiles, std::size_t level, int d) const {
  u32& extent = tiles[level][d];
  u32 low = 0, high = extent;
  while (low < high) {
    extent = low + (high - low + 1) / 2;
    if (fits(tiles, level)) {
      low = extent;
    } else {
      high = extent - 1;
    }
  }
  if (low == 0 || problem_.trips == Trips::Average) return low;
  const u32 whole = most(tiles, level, d);
  return ceil_div(whole, ceil_div(whole, low));
}

NestedTiles TileRoom::grown(NestedTiles tiles, DimensionMask dimensions, u32 slowness) const {
  for (std::size_t l = tiles.size(); l-- > 0;) {
    for (bool more = true; more;) {
      more = false;
      for (int d = 0; d < problem_.dimensions; ++d) {
        const u32 saved = tiles[l][d], extent = std::min(saved + ceil_div(saved, slowness), most(tiles, l, d));
        if ((dimensions & dimension_bit(d)) == 0 || extent == saved) continue;
        tiles[l][d] = extent;
        const bool good = fits(tiles, l);
        if (!good) tiles[l][d] = saved;
        more = more || good;
      }
    }
  }
  return tiles;
}

std::vector<TileStart> tile_starts(const TilingProblem& problem, std::span<const CacheLevel> caches) {
  const TileRoom room(problem, caches);
  const NestedTiles units = room.units();
  const auto all = static_cast<DimensionMask>(~0U);
  std::vector<TileStart> starts{{units}, {room.grown(units, all, 1)}};
  for (const TiledTensor& tensor : problem.tensors) {
    starts.push_back({room.grown(units, tensor.indexing, 1)});
    starts.push_back({room.grown(room.grown(units, static_cast<DimensionMask>(~tensor.indexing), 1), all, 1)});
  }
  for (const u32 slowness : {1U, 4U}) add_streaming_starts(problem, room, slowness, starts);
  u64 seed = 1;
  for (int i = 0; i < kMixedStarts; ++i) {
    seed = seed * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX generator
    starts.push_back({room.grown(room.grown(units, static_cast<DimensionMask>(seed >> 40), 1), all, 1)});
  }
  return starts;
}

}  // namespace heliolite

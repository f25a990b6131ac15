#include "engine/bounds/tiling/iotile_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/base/integers.h"
#include "engine/space/footprint.h"

namespace heliolite {
namespace {

// How many of the best tilings are looked around more widely.
constexpr std::size_t kPolished = 4;

// Moves of one descent; there are a few dozen unless sizes are beyond all reason.
constexpr int kMostMoves = 1000;

class TileSearch {
 public:
  TileSearch(const TilingProblem& problem, std::span<const CacheLevel> caches)
      : problem_(problem), caches_(caches), room_(problem, caches) {}

  std::optional<CacheTiling> run() {
    if (!room_.fits(room_.units())) return std::nullopt;
    std::vector<std::pair<double, NestedTiles>> ends;
    for (auto& [tiles, fixed, held] : tile_starts(problem_, caches_)) {
      restrict_to(fixed, held);
      descend(tiles);
      restrict_to(0, 0);
      const double words = descend(tiles);
      ends.emplace_back(words, std::move(tiles));
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    ends.resize(std::min(ends.size(), kPolished));
    wide_ = true;
    for (auto& [words, tiles] : ends) words = descend(tiles);
    return tiling_of(std::min_element(ends.begin(), ends.end())->second);
  }

  CacheTiling run_from(NestedTiles tiles) {
    descend(tiles);
    return tiling_of(tiles);
  }

 private:
  const std::vector<TileOrder>& orders(DimensionMask loops) {
    const auto [at, fresh] = orders_.try_emplace(loops);
    if (fresh) at->second = tile_orders(problem_, loops);
    return at->second;
  }

  // From now on moves leave the dimensions `fixed` alone, and room is counted as TileRoom::hold() says.
  void restrict_to(DimensionMask fixed, DimensionMask held) {
    fixed_ = fixed;
    held_ = held;
    room_.hold(held);
  }

  struct OrderedTile {
    const TileOrder* order;
    double words = std::numeric_limits<double>::infinity();
  };

  // The order that moves the least. Orders that hold windows may need too much room; one that holds none is always
  // there, and has room, for the tile alone fits.
  OrderedTile best_order(const TileGrid& outer, const Extents& tile, double capacity) {
    const LevelTraffic traffic(problem_, outer, tile);
    const std::vector<TileOrder>& candidates = orders(looping(problem_, outer, tile));
    OrderedTile best{&candidates.front()};
    for (const TileOrder& order : candidates) {
      const double words = traffic.words(order);
      if (words < best.words && (!holds(order) || traffic.footprint(order) <= capacity)) best = {&order, words};
    }
    return best;
  }

  static bool holds(const TileOrder& order) {
    return std::ranges::any_of(order.reuse, [](const TileReuse& reuse) { return reuse.held != 0; });
  }

  // What lies around each cache's tiles.
  const std::vector<TileGrid>& grids(const NestedTiles& tiles) {
    grids_.resize(tiles.size());
    for (std::size_t l = tiles.size(); l-- > 0;)
      grids_[l] = l + 1 == tiles.size() ? whole_grid(problem_) : cut_grid(problem_, grids_[l + 1], tiles[l + 1]);
    return grids_;
  }

  // From the innermost cache, which moves the most; as soon as they are no fewer than `enough`, what is known so far.
  double weighted_words(const NestedTiles& tiles, double enough) {
    const std::vector<TileGrid>& outer = grids(tiles);
    double sum = 0;
    for (std::size_t l = 0; l < tiles.size() && sum < enough; ++l)
      sum += caches_[l].weight * best_order(outer[l], tiles[l], caches_[l].capacity).words;
    return sum;
  }

  CacheTiling tiling_of(const NestedTiles& tiles) {
    const std::vector<TileGrid>& outer = grids(tiles);
    CacheTiling tiling(tiles.size());
    for (std::size_t l = 0; l < tiles.size(); ++l) {
      const OrderedTile best = best_order(outer[l], tiles[l], caches_[l].capacity);
      tiling[l] = {tiles[l], *best.order, best.words};
    }
    price(problem_, tiling);
    return tiling;
  }

  // Extents worth trying in place of `extent`: steps of a few, since a single one may fall into a hole of the
  // roundings; twice and half; one box fewer and one more; all and nothing.
  std::array<u32, 12> alternatives(u32 extent, u32 most) const {
    const u32 boxes = ceil_div(most, extent);
    const auto minus = [extent](u32 n) { return extent > n ? extent - n : 1; };
    std::array<u32, 12> all{1,
                            most,
                            extent + 1,
                            extent + 2,
                            extent + 3,
                            minus(1),
                            minus(2),
                            minus(3),
                            2 * extent,
                            extent / 2,
                            boxes > 1 ? ceil_div(most, boxes - 1) : most,
                            ceil_div(most, boxes + 1)};
    for (u32& x : all) x = std::clamp(x, 1U, most);
    return all;
  }

  // Takes `next` when it is better; the least words so far.
  void consider(const NestedTiles& next) {
    const double words = weighted_words(next, least_);
    if (words >= least_) return;
    least_ = words;
    best_ = next;
  }

  // The best of all tilings one move away: an extent changed, and, where a cache then overflows, another one cut.
  void look_around(const NestedTiles& tiles) {
    for (std::size_t level = 0; level < tiles.size(); ++level) {
      for (int d = 0; d < problem_.dimensions; ++d) {
        if (contains(fixed_, d)) continue;
        const auto extents = alternatives(tiles[level][d], problem_.size[d]);
        for (auto at = extents.begin(); at != extents.end(); ++at) {
          const u32 extent = *at;
          if (extent == tiles[level][d] || std::find(extents.begin(), at, extent) != at) continue;
          NestedTiles next = tiles;
          TileRoom::set(next, level, d, extent);
          if (room_.fits(next)) consider(next);
          else trade(next, d);
        }
      }
    }
  }

  // Every other dimension in turn pays for the growth of d, in each cache that overflows.
  void trade(const NestedTiles& tiles, int d) {
    for (int e = 0; e < problem_.dimensions; ++e) {
      if (e == d || contains(fixed_, e)) continue;
      NestedTiles next = tiles;
      for (std::size_t l = tiles.size(); l-- > 0;) {
        if (room_.fits(next, l)) continue;
        const u32 extent = room_.largest_fitting(next, l, e);
        if (extent == 0) break;
        TileRoom::set(next, l, e, extent);
      }
      if (!room_.fits(next)) continue;
      consider(next);
      if (wide_) fill(next, d, e);
    }
  }

  // What e paid too much goes to a third dimension.
  void fill(const NestedTiles& tiles, int d, int e) {
    for (std::size_t level = 0; level < tiles.size(); ++level) {
      for (int f = 0; f < problem_.dimensions; ++f) {
        if (f == d || f == e || tiles[level][f] == problem_.size[f]) continue;
        NestedTiles next = tiles;
        TileRoom::set(next, level, f, room_.most(tiles, level, f));
        if (!room_.fits(next, level)) TileRoom::set(next, level, f, room_.largest_fitting(next, level, f));
        if (next[level][f] > tiles[level][f] && room_.fits(next)) consider(next);
      }
    }
  }

  // Moves as long as that is better. What is best one move away depends on the tiles alone, so that descents of the
  // same kind that meet end at the same place.
  double descend(NestedTiles& tiles) {
    std::map<NestedTiles, NestedTiles>& ends = ends_[{wide_, fixed_, held_}];
    std::vector<NestedTiles> way;
    least_ = weighted_words(tiles, std::numeric_limits<double>::infinity());
    best_ = tiles;
    for (int i = 0; i < kMostMoves; ++i) {
      if (const auto met = ends.find(tiles); met != ends.end()) {
        tiles = met->second;
        least_ = weighted_words(tiles, std::numeric_limits<double>::infinity());
        break;
      }
      way.push_back(tiles);
      const double before = least_;
      look_around(tiles);
      if (least_ == before) break;
      tiles = best_;
    }
    for (NestedTiles& step : way) ends.emplace(std::move(step), tiles);
    return least_;
  }

  const TilingProblem& problem_;
  std::span<const CacheLevel> caches_;
  TileRoom room_;
  std::unordered_map<DimensionMask, std::vector<TileOrder>> orders_;
  std::vector<TileGrid> grids_;
  NestedTiles best_;
  double least_ = 0;
  DimensionMask fixed_ = 0, held_ = 0;  // restrict_to()
  bool wide_ = false;                   // moves may change three extents
  // [kind of descent: wide_, fixed_, held_][tiles on its way]: where it ended.
  std::map<std::tuple<bool, DimensionMask, DimensionMask>, std::map<NestedTiles, NestedTiles>> ends_;
};

}  // namespace

std::optional<CacheTiling> best_tiling(const TilingProblem& problem, std::span<const CacheLevel> caches) {
  return TileSearch(problem, caches).run();
}

std::optional<TiledLevel> best_tile(const TilingProblem& problem, double capacity) {
  const CacheLevel cache{capacity, 1};
  const auto tiling = best_tiling(problem, std::span(&cache, 1));
  if (!tiling) return std::nullopt;
  return tiling->front();
}

TiledLevel tile_from(const TilingProblem& problem, double capacity, const Extents& start) {
  const CacheLevel cache{capacity, 1};
  return TileSearch(problem, std::span(&cache, 1)).run_from({start}).front();
}

// Nested tiles against the capacities they must fit, and where searches for good ones begin.

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
    if (fits(tiles, level)) low = extent;
    else high = extent - 1;
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

#include "engine/bounds/iotile_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "engine/space/footprint.h"

namespace heliolite {
namespace {

// How many of the best tilings are looked around more widely.
constexpr std::size_t kPolished = 4;

// Starts from mixed-up tiles besides the regular ones; more of them rarely find anything better.
constexpr int kMixedStarts = 6;

u32 ceil_div(u32 a, u32 b) { return (a + b - 1) / b; }

using Tiles = std::vector<Extents>;  // by cache

// Where a descent begins. At first some dimensions are left alone, and there must be room to hold others as windows.
struct Start {
  Tiles tiles;
  DimensionMask fixed = 0;
  DimensionMask held = 0;
};

class TileSearch {
 public:
  TileSearch(const TilingProblem& problem, std::span<const CacheLevel> caches) : problem_(problem), caches_(caches) {}

  std::optional<Tiling> run() {
    const Tiles units(caches_.size(), unit_extents());
    if (!fits(units)) return std::nullopt;
    std::vector<std::pair<double, Tiles>> ends;
    for (auto& [tiles, fixed, held] : starts()) {
      fixed_ = fixed;
      held_ = held;
      descend(tiles);
      fixed_ = held_ = 0;
      const double words = descend(tiles);
      ends.emplace_back(words, std::move(tiles));
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    ends.resize(std::min(ends.size(), kPolished));
    wide_ = true;
    for (auto& [words, tiles] : ends) words = descend(tiles);
    const Tiles& best = std::min_element(ends.begin(), ends.end())->second;
    return tiling_of(best);
  }

 private:
  // What the outer cache's tile leaves: the size for the outermost one.
  u32 room(const Tiles& tiles, std::size_t level, int d) const {
    return level + 1 < tiles.size() ? tiles[level + 1][d] : problem_.size[d];
  }
  bool fits(const Tiles& tiles, std::size_t level) const {
    double words = 0;
    for (const TiledTensor& tensor : problem_.tensors) {
      Extents box = tiles[level];
      for (int d = 0; d < problem_.dimensions; ++d)
        if ((held_ & tensor.sliding) >> d & 1) box[d] = room(tiles, level, d);
      words += box_words(tensor, box);
    }
    return words <= caches_[level].capacity;
  }
  bool fits(const Tiles& tiles) const {
    for (std::size_t l = 0; l < tiles.size(); ++l)
      if (!fits(tiles, l)) return false;
    return true;
  }

  const std::vector<TileOrder>& orders(DimensionMask loops) {
    const auto [at, fresh] = orders_.try_emplace(loops);
    if (fresh) at->second = tile_orders(problem_, loops);
    return at->second;
  }

  // Calls visit(level, least words, order) from the outermost cache inwards. Orders that hold windows may need too much
  // room; one that holds none is always there.
  template <class Visit>
  void for_each_level(const Tiles& tiles, Visit&& visit) {
    TileGrid outer = whole_grid(problem_);
    for (std::size_t l = tiles.size(); l-- > 0;) {
      const LevelTraffic traffic(problem_, outer, tiles[l]);
      double least = std::numeric_limits<double>::infinity();
      const TileOrder* best = nullptr;
      for (const TileOrder& order : orders(looping(problem_, outer, tiles[l]))) {
        const double words = traffic.words(order);
        if (words >= least || traffic.footprint(order) > caches_[l].capacity) continue;
        least = words;
        best = &order;
      }
      visit(l, least, *best);
      outer = traffic.grid();
    }
  }

  double weighted_words(const Tiles& tiles) {
    double sum = 0;
    for_each_level(tiles, [&](std::size_t l, double words, const TileOrder&) { sum += caches_[l].weight * words; });
    return sum;
  }

  Tiling tiling_of(const Tiles& tiles) {
    Tiling tiling(tiles.size());
    for_each_level(tiles, [&](std::size_t l, double words, const TileOrder& order) {
      tiling[l] = {tiles[l], order, words};
    });
    price(problem_, tiling);
    return tiling;
  }

  // Sets one extent; inner tiles shrink and outer tiles grow as they must.
  void set(Tiles& tiles, std::size_t level, int d, u32 extent) const {
    tiles[level][d] = extent;
    for (std::size_t l = 0; l < level; ++l) tiles[l][d] = std::min(tiles[l][d], extent);
    for (std::size_t l = level + 1; l < tiles.size(); ++l) tiles[l][d] = std::max(tiles[l][d], extent);
  }

  // The largest extent of dimension d with which the cache's tile fits, or the smallest that has as few boxes; 0 when
  // none does.
  u32 largest_fitting(Tiles& tiles, std::size_t level, int d) const {
    u32 low = 0, high = tiles[level][d];
    const u32 saved = high;
    while (low < high) {
      const u32 middle = low + (high - low + 1) / 2;
      tiles[level][d] = middle;
      if (fits(tiles, level)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    tiles[level][d] = saved;
    if (low == 0 || problem_.trips == Trips::Average) return low;
    const u32 most = room(tiles, level, d);
    return ceil_div(most, ceil_div(most, low));
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
  void consider(const Tiles& next) {
    const double words = weighted_words(next);
    if (words >= least_) return;
    least_ = words;
    best_ = next;
  }

  // The best of all tilings one move away: an extent changed, and, where a cache then overflows, another one cut.
  void look_around(const Tiles& tiles) {
    for (std::size_t level = 0; level < tiles.size(); ++level) {
      for (int d = 0; d < problem_.dimensions; ++d) {
        if ((fixed_ >> d & 1) != 0) continue;
        for (const u32 extent : alternatives(tiles[level][d], problem_.size[d])) {
          if (extent == tiles[level][d]) continue;
          Tiles next = tiles;
          set(next, level, d, extent);
          if (fits(next)) {
            consider(next);
          } else {
            trade(next, d);
          }
        }
      }
    }
  }

  // Every other dimension in turn pays for the growth of d, in each cache that overflows.
  void trade(const Tiles& tiles, int d) {
    for (int e = 0; e < problem_.dimensions; ++e) {
      if (e == d || (fixed_ >> e & 1) != 0) continue;
      Tiles next = tiles;
      for (std::size_t l = tiles.size(); l-- > 0;) {
        if (fits(next, l)) continue;
        const u32 extent = largest_fitting(next, l, e);
        if (extent == 0) break;
        set(next, l, e, extent);
      }
      if (!fits(next)) continue;
      consider(next);
      if (wide_) fill(next, d, e);
    }
  }

  // What e paid too much goes to a third dimension.
  void fill(const Tiles& tiles, int d, int e) {
    for (std::size_t level = 0; level < tiles.size(); ++level) {
      for (int f = 0; f < problem_.dimensions; ++f) {
        if (f == d || f == e || tiles[level][f] == problem_.size[f]) continue;
        Tiles next = tiles;
        set(next, level, f, room(tiles, level, f));
        if (!fits(next, level)) set(next, level, f, largest_fitting(next, level, f));
        if (next[level][f] > tiles[level][f] && fits(next)) consider(next);
      }
    }
  }

  double descend(Tiles& tiles) {
    least_ = weighted_words(tiles);
    best_ = tiles;
    for (double before = std::numeric_limits<double>::infinity(); least_ < before;) {
      before = least_;
      look_around(tiles);
      tiles = best_;
    }
    return least_;
  }

  // Multiplies the extents of some dimensions by 1 + 1 / `slowness` in turn, as long as there is room.
  Tiles grown(Tiles tiles, DimensionMask dimensions, u32 slowness) const {
    for (std::size_t l = tiles.size(); l-- > 0;) {
      for (bool more = true; more;) {
        more = false;
        for (int d = 0; d < problem_.dimensions; ++d) {
          const u32 saved = tiles[l][d], extent = std::min(saved + ceil_div(saved, slowness), room(tiles, l, d));
          if ((dimensions >> d & 1) == 0 || extent == saved) continue;
          tiles[l][d] = extent;
          const bool good = fits(tiles, l);
          if (!good) tiles[l][d] = saved;
          more = more || good;
        }
      }
    }
    return tiles;
  }

  // One dimension after the other is streamed: boxes slide along it or are kept over it. Filters are whole, or streamed
  // too while the windows of the image are held.
  void add_streaming_starts(u32 slowness, std::vector<Start>& found) {
    const Tiles units(caches_.size(), unit_extents());
    DimensionMask taps = 0, all = 0;
    for (int d = 0; d < problem_.dimensions; ++d) {
      all |= static_cast<DimensionMask>(1U << d);
      if (problem_.size[d] <= kMostTaps) taps |= static_cast<DimensionMask>(1U << d);
    }
    for (int d = 0; d < problem_.dimensions; ++d) {
      if (problem_.size[d] == 1) continue;
      const auto streamed = static_cast<DimensionMask>(1U << d), fixed = static_cast<DimensionMask>(streamed | taps);
      const auto others = [all](DimensionMask dimensions) { return static_cast<DimensionMask>(all & ~dimensions); };
      found.push_back({grown(grown(units, taps, slowness), others(streamed), slowness), fixed});
      held_ = taps;
      if (fits(units)) found.push_back({grown(units, others(fixed), slowness), fixed, taps});
      held_ = 0;
    }
  }

  std::vector<Start> starts() {
    const Tiles units(caches_.size(), unit_extents());
    const auto all = static_cast<DimensionMask>(~0U);
    std::vector<Start> found{{units}, {grown(units, all, 1)}};
    for (const TiledTensor& tensor : problem_.tensors) {
      found.push_back({grown(units, tensor.indexing, 1)});
      found.push_back({grown(grown(units, static_cast<DimensionMask>(~tensor.indexing), 1), all, 1)});
    }
    for (const u32 slowness : {1U, 4U}) add_streaming_starts(slowness, found);
    u64 seed = 1;
    for (int i = 0; i < kMixedStarts; ++i) {
      seed = seed * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX generator
      found.push_back({grown(grown(units, static_cast<DimensionMask>(seed >> 40), 1), all, 1)});
    }
    return found;
  }

  const TilingProblem& problem_;
  std::span<const CacheLevel> caches_;
  std::unordered_map<DimensionMask, std::vector<TileOrder>> orders_;
  Tiles best_;
  double least_ = 0;
  DimensionMask fixed_ = 0, held_ = 0;  // of the current descent
  bool wide_ = false;                   // moves may change three extents
};

}  // namespace

std::optional<Tiling> best_tiling(const TilingProblem& problem, std::span<const CacheLevel> caches) {
  return TileSearch(problem, caches).run();
}

std::optional<TiledLevel> best_tile(const TilingProblem& problem, double capacity) {
  const CacheLevel cache{capacity, 1};
  const auto tiling = best_tiling(problem, std::span(&cache, 1));
  if (!tiling) return std::nullopt;
  return tiling->front();
}

}  // namespace heliolite

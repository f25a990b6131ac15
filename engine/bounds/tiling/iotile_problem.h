#pragma once
// Tilings of a workload for one or several caches, as an upper bound of what must move. Each cache holds a box of every
// array (its share), loops run over the boxes, and a box is kept while loops run that do not move it, or slides along
// the first loop that does. Model, proofs and sources: docs/rules/bounds_tilings.md.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/model/compiled.h"
#include "workloads/workload.h"

namespace heliolite {

// How many boxes a loop of n iterations in tiles of t has.
enum class Trips : u8 {
  Exact,    // ceil(n / t), the last one smaller
  Average,  // n / t, as literature counts
};

// One tensor of the workload.
struct TiledTensor {
  // The remainders that, with its quotients, make up a term's dimension when strided windows are taken apart.
  struct Remainders {
    int dimension = -1;  // that goes over them; -1: there is one only
    double count = 1;
    double values = 1;  // pairs of quotient and remainder that exist: the size of the dimension that was taken apart
  };
  // A sum of `count` terms coefficient * dimension. In a `lifted` rank (at most two terms, coefficients 1) remainders
  // of different terms or values are different elements: the rank has a sum of quotients for each choice of them.
  struct TiledRank {
    u8 count = 0;
    std::array<u8, kMaxTerms> dimension{};
    std::array<double, kMaxTerms> coefficient{};
    bool lifted = false;
    std::array<Remainders, 2> remainders{};
  };
  std::vector<TiledRank> ranks;
  DimensionMask indexing = 0;
  DimensionMask sliding = 0;  // dimensions that share a rank, so that neighbouring boxes overlap
  bool entangled = false;     // a dimension stands in several ranks: nothing slides, and every box counts in full
  bool is_output = false;
  double word_size = 1;  // words that one element takes
  double words = 0;      // elements that some iteration touches, at least
};

// A workload to be tiled.
struct TilingProblem {
  int dimensions = 0;
  Extents size{};
  std::vector<std::string> names;  // [dimension]
  std::vector<TiledTensor> tensors;
  TrafficRule rule;
  Trips trips = Trips::Exact;
  // [dimension of the workload]: how it is taken apart, in a lifted problem; empty in others.
  struct Apart {
    u32 factor = 1;      // dimension = factor * quotient + remainder
    int remainder = -1;  // the problem's dimension of the remainders; -1: not taken apart
  };
  std::vector<Apart> apart{};
};

// The problem of a workload. `word_sizes[tensor]`: words that one element takes; 1 for tensors beyond its end.
TilingProblem tiling_problem(const Workload& workload, TrafficRule rule = {}, std::span<const double> word_sizes = {});

// The problem with strided windows taken apart: where a rank is a p + b r with a, b coprime, p = b p' + p'' and
// r = a r' + r'' (r = stride r' + r'' in convolutions). Tiles are then boxes of p', p'', r' and r'': taps of one
// remainder share most of their pixels, those of different ones none. Nothing if there is nothing to take apart, or the
// dimensions become too many.
std::optional<TilingProblem> lifted_tiling_problem(const Workload& workload, TrafficRule rule = {},
                                                   std::span<const double> word_sizes = {});

// Words of the tensor's box when the dimensions have these extents: its ranks as intervals, or, where windows skip
// pixels, without the holes.
double box_words(const TiledTensor& tensor, const Extents& tile);

// The words of the boxes of all tensors together: what a cache must hold.
double box_words(const TilingProblem& problem, const Extents& tile);

// The loop orders that can be best for a tiling: only what each tensor is kept over counts, and that is decided by the
// innermost loops. Source of the idea: Olivry, Automatic derivation of I/O complexity bounds for affine programs, 5.3;
// here whole and sliding reuse are told apart, so that no best order is lost.

// What a loop order lets one tensor reuse.
struct TileReuse {
  DimensionMask kept = 0;  // loops that do not move the tensor, inside those that do
  DimensionMask held = 0;  // loops over a window among them: the box holds what all their iterations need
  int slides = -1;         // the innermost loop that moves the box, when boxes overlap along it; -1: none

  bool operator==(const TileReuse&) const = default;
};

// A loop may be held if it has at most this many iterations.
inline constexpr u32 kMostTaps = 7;

// The order of the loops over the tiles of one cache.
struct TileOrder {
  std::array<TileReuse, kMaxTensors> reuse{};  // [tensor]
  std::vector<u8> inner;  // the loops that decide, innermost first; the others may stand in any order outside
};

// The orders of the loops over `loops` (dimensions with more than one box), without those that keep no tensor better
// than another order does. Of very many orders only some are listed; any of them gives a valid tiling.
std::vector<TileOrder> tile_orders(const TilingProblem& problem, DimensionMask loops);

// What a tiling moves across the outer boundary of each cache, in closed form. Formulas: docs/rules/bounds_tilings.md.

// The tiles of one cache inside those of the next one out, with the order of its loops.
struct TiledLevel {
  Extents tile{};
  TileOrder order;
  double words = 0;      // moved between this cache and what is outside, over the whole execution
  double footprint = 0;  // words held
};

using CacheTiling = std::vector<TiledLevel>;  // innermost cache first

// All boxes of a cache along one dimension: the extents that occur and how many boxes have each.
class TileExtents {
 public:
  struct Entry {
    double extent, count;
  };

  TileExtents() = default;  // no boxes
  // One box of the whole dimension.
  static TileExtents whole(double size) { return TileExtents({size, 1}); }
  // Every box cut into boxes of extent `tile`.
  TileExtents cut(double tile, Trips trips) const;
  void cut(double tile, Trips trips, TileExtents& out) const;  // into other extents, which it replaces

  const Entry* begin() const { return entries_.data(); }
  const Entry* end() const { return entries_.data() + count_; }
  double boxes() const;
  double largest() const { return entries_[0].extent; }

 private:
  explicit TileExtents(Entry entry) : count_(1) { entries_[0] = entry; }
  void add(Entry entry);

  std::array<Entry, kMaxLevels + 1> entries_;  // the largest first; unset beyond count_
  std::size_t count_ = 0;
};

// [dimension]: the boxes of a cache along it.
using TileGrid = std::array<TileExtents, kMaxDimensions>;

// One box of the whole problem, and the boxes of `outer` cut into boxes of `tile`.
TileGrid whole_grid(const TilingProblem& problem);
TileGrid cut_grid(const TilingProblem& problem, const TileGrid& outer, const Extents& tile);

// The dimensions along which some box of `outer` holds more than one box of `tile`.
DimensionMask looping(const TilingProblem& problem, const TileGrid& outer, const Extents& tile);

// Words between a cache with boxes of `tile` in the boxes of `outer` and what lies outside.
class LevelTraffic {
 public:
  LevelTraffic(const TilingProblem& problem, const TileGrid& outer, const Extents& tile);

  // Words moved over the whole execution, and words held at a time, with this loop order.
  double words(const TileOrder& order) const;
  double footprint(const TileOrder& order) const;
  // The boxes of the cache.
  const TileGrid& grid() const { return inner_; }

 private:
  double fetched(const TiledTensor& tensor, double at_rest, const TileReuse& reuse) const;
  double rank_sum(const TiledTensor::TiledRank& rank, const TileReuse& reuse) const;
  double lifted_sum(const TiledTensor::TiledRank& rank, const TileReuse& reuse) const;
  bool as_interval(const TiledTensor::TiledRank& rank, const TileReuse& reuse) const;
  // What a box covers of the dimension.
  const TileExtents& along(int d, const TileReuse& reuse) const {
    return contains(reuse.held, d) ? outer_[d] : inner_[d];
  }

  const TilingProblem& problem_;
  const TileGrid& outer_;
  const Extents& tile_;
  TileGrid inner_;
  std::array<double, kMaxDimensions> outer_boxes_{}, inner_boxes_{};  // along each dimension
  std::array<double, kMaxTensors> box_sum_{};  // words of each tensor's boxes along the dimensions that move it
};

// Fills in words and footprints of all levels; every tile must fit in the next one out.
void price(const TilingProblem& problem, CacheTiling& tiling);

}  // namespace heliolite

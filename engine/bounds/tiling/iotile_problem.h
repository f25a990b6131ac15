#pragma once
// Tilings of a workload for one or several caches, as an upper bound of what must move. Each cache holds a box of every
// array (its share), loops run over the boxes, and a box is kept while loops run that do not move it, or slides along
// the first loop that does. Model, proofs and sources: docs/rules/bounds_tilings.md.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/bounds/traffic_rule.h"
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

}  // namespace heliolite

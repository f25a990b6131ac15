#pragma once
// The fewest accesses of a fused segment by buffer size. Weights stay in the buffer word by word, so that every further
// word of room saves accesses and a curve falls in straight lines between its points. Buffers and accesses are in units
// of which each word has a whole number; where all words have one, units are words.
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// The Pareto-optimal choices of the links whose weights stay in the buffer.

// The weights of one link.
struct KeepItem {
  u64 room = 0;   // words that keeping takes
  u64 saved = 0;  // accesses that it saves
};

// Weights that stay together.
struct KeptSet {
  u64 mask = 0;  // bit e: item e
  u64 room = 0, saved = 0;
};

// The sets that matter, by rising room; each saves more than all before. The items of the mask `forced` are in every
// set.
std::vector<KeptSet> kept_sets(std::span<const KeepItem> items, u64 forced);

// How a segment of a chain runs. Blocks of rows are outermost except in WeightsOuter.
enum class FusionTemplate : u8 {
  Rows,           // TiledK, Full.., TiledN; pairs of links may instead pass their intermediate column by column
  InputAgain,     // the first pair passes its intermediate by parts of a row, and reads the input again for each
  OutputSpilled,  // two links: the second adds to partial outputs outside, once for each part of the intermediate
  WeightsOuter,   // two links: parts of the intermediate outermost; their weights stay while all rows come by
};

// "rows", "input_again", "output_spilled", "weights_outer".
std::string_view name(FusionTemplate how);

inline constexpr u8 kNoLink = 255;

// How a segment runs at a point of its curve.
struct FusedTiles {
  FusionTemplate how = FusionTemplate::Rows;
  u64 rows = 1;               // of the last output in a block; the last block may be smaller
  u64 part = 0;               // but for Rows: columns of the first intermediate in a part; the last may be smaller
  u64 parts = 1;              // but for Rows: number of such parts (N2)
  u64 kept = 0;               // bit e: the weights of link e stay in the buffer for all blocks of a group
  u8 partly = kNoLink;        // the link of whose weights a part stays
  u64 partly_words = 0;       // words of that part
  u64 pairs = 0;              // bit e: links e and e + 1 pass their intermediate column by column (TiledN, TiledK)
  bool whole_input = false;   // rows of the first operand stay while their block lasts, else columns of them
  bool whole_output = false;  // OutputSpilled and WeightsOuter: sums of all rows stay instead of being spilled
};

// Weights of one link that may stay: each word of room saves as many accesses.
struct Gain {
  u8 link = 0;
  u64 words = 0;
  u64 saved = 0;  // accesses that each word saves
  u64 bonus = 0;  // accesses saved besides when all of them stay
  u64 size = 1;   // units in a word
};

// A point of a curve.
struct FusedPlan {
  u64 buffer = 0;    // units in use
  u64 accesses = 0;  // units
  FusedTiles how;
};

// The least of plans whose buffers are whole numbers of words of one size, apart from what all of them have: buffers
// and capacities count these words.
class WordwiseCurve {
 public:
  // FusedCurve::add() with gains of words of this size.
  void add(u64 buffer, u64 accesses, const FusedTiles& how, std::span<const Gain> gains);

  // The plan with the fewest accesses in `capacity` words; none when no plan fits.
  std::optional<FusedPlan> at(u64 capacity) const;

  // FusedCurve::capacities().
  std::vector<u64> capacities(double step) const;

 private:
  // The curve from the capacity `from` up to the next piece.
  struct Piece {
    u64 from = 0;      // capacity
    u64 used = 0;      // words in use at `from`
    u64 accesses = 0;  // at `from`
    u64 slope = 0;     // accesses that each further word saves
    FusedTiles how;

    u64 at(u64 capacity) const { return accesses - slope * (capacity - from); }
    Piece starting(u64 capacity) const;  // its part from there on
  };
  using Pieces = std::vector<Piece>;  // ascending; the last one is flat

  static std::size_t piece_at(const Pieces& pieces, u64 capacity);  // the last that begins at or below it
  bool improved_by(const Pieces& plan) const;
  void lower_to(const Pieces& plan);
  static Pieces lower(const Pieces& a, const Pieces& b, u64 end);  // up to `end`

  Pieces pieces_;
};

// The curve of one segment.
class FusedCurve {
 public:
  using Point = FusedPlan;

  // `grain`: units of which every word has a whole number.
  explicit FusedCurve(u64 grain = 1) : grain_(grain) {}

  // Adds a plan that needs `buffer` units and moves `accesses`. With more room it makes its gains one after the other,
  // which must be in the order of falling savings; the words of one that is not complete leave less than a word of room
  // unused. A plan that is nowhere better than those before it changes nothing.
  void add(u64 buffer, u64 accesses, const FusedTiles& how, std::span<const Gain> gains = {});

  // The plan with the fewest accesses in `capacity` units; none when no plan fits.
  std::optional<Point> at(u64 capacity) const;

  // Capacities to draw the curve by, ascending: where it begins and breaks, and along its slopes enough of them that
  // neighbours differ by at most the part `step` of the capacity.
  std::vector<u64> capacities(double step = 1.0 / 32) const;

  bool empty() const { return curves_.empty(); }

 private:
  u64 grain_ = 1;
  // By the size of the words that gains fill, and what the buffer has besides whole ones.
  std::map<std::pair<u64, u64>, WordwiseCurve> curves_;
};

}  // namespace heliolite

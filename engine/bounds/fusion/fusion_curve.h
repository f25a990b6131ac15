#pragma once
// Least accesses by buffer size of plans that use every further word: weights stay word by word, so a curve falls in
// straight lines between its points.
#include <optional>
#include <span>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// How a segment of a chain runs. Blocks of rows are outermost except in WeightsOuter.
enum class FusionTemplate : u8 {
  Rows,           // TiledK, Full.., TiledN; pairs of links may instead pass their intermediate column by column
  InputAgain,     // the first pair passes its intermediate by parts of a row, and reads the input again for each
  OutputSpilled,  // two links: the second adds to partial outputs outside, once for each part of the intermediate
  WeightsOuter,   // two links: parts of the intermediate outermost; their weights stay while all rows come by
};

inline constexpr u8 kNoLink = 255;

struct FusedTiles {
  FusionTemplate how = FusionTemplate::Rows;
  u64 rows = 1;               // of the last output in a block; the last block may be smaller
  u64 part = 0;               // columns of the first intermediate in a part (the last part may be smaller)..
  u64 parts = 1;              // ..and how many: N2; for all but Rows
  u64 kept = 0;               // bit e: the weights of link e stay in the buffer for all blocks of a group
  u8 partly = kNoLink;        // of this link's weights..
  u64 partly_words = 0;       // ..these stay
  u64 pairs = 0;              // bit e: links e and e + 1 pass their intermediate column by column (TiledN, TiledK)
  bool whole_input = false;   // rows of the first operand stay while their block lasts, else columns of them
  bool whole_output = false;  // OutputSpilled and WeightsOuter: sums of all rows stay instead of being spilled
};

// Weights of one link that may stay: each word of room saves as many accesses.
struct Gain {
  u8 link = 0;
  u64 words = 0;
  u64 saved = 0;  // by each..
  u64 bonus = 0;  // ..and once all of them stay
};

class FusedCurve {
 public:
  struct Point {
    u64 buffer = 0;    // words in use
    u64 accesses = 0;  // words
    FusedTiles how;
  };

  // A plan that needs `buffer` words and moves `accesses`. With more room it makes its gains one after the other, which
  // must be in the order of falling savings. A plan that is nowhere better than those before it changes nothing.
  void add(u64 buffer, u64 accesses, const FusedTiles& how, std::span<const Gain> gains = {});

  // The fewest accesses that `capacity` admits; none when no plan fits.
  std::optional<Point> at(u64 capacity) const;

  // Where the curve begins, breaks, and along its slopes often enough that neighbours differ by at most `step` (a part
  // of the capacity). Ascending.
  std::vector<u64> capacities(double step = 1.0 / 32) const;

  bool empty() const { return pieces_.empty(); }

 private:
  // From `from` up to the next piece; there each word more saves `slope` accesses.
  struct Piece {
    u64 from = 0;      // capacity
    u64 used = 0;      // words in use there
    u64 accesses = 0;  // there
    u64 slope = 0;
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

}  // namespace heliolite

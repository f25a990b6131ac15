#pragma once
// Boxes of a sliding tensor's tiles along a rank that two dimensions share, and what stays of one when the next tile's
// turn comes (docs/rules/any_factors.md, item 4, tile by tile).
#include <array>

#include "engine/model/true_counts/asked_words.h"
#include "engine/search/any/remembered.h"

namespace heliolite {

// Words that cross into tiles, and that arrive as requests.
enum TileKind : u8 { kFetched, kShared };
using OfKind = std::array<u64, 2>;

// One of the dimensions. Of the tile only the number may be known: all sizes from the least to the most are looked at.
struct RankDimension {
  u64 coefficient, size, least_tile, most_tile;
  u64 units_around = 1, units = 1;  // in the fan-out around the tile; and in all
  u64 loops_above = 0;              // it has loops over time outside if it has more tiles than that
  UnitRow met{};                    // in the fan-out where units along both dimensions meet, in tiles
};

struct RankTiling {
  std::array<RankDimension, 2> of;
  bool meets_known;  // units meet in one fan-out at most
  u64 different;     // words of the rank
};

// What loops over time of one of the dimensions do, over all sizes of tiles.
struct RankSlider {
  bool any = false;                         // there are such loops
  u64 most_stay = 0, least_stay = ~u64{0};  // of a full box along the rank, when one of them goes on
  OfKind words{~u64{0}, ~u64{0}};           // along the rank, if it is these loops that leave something, at least
  OfKind again{};                           // boxes of which part may stay then, at most
  OfKind stays{};                           // words along the rank that do, at most
  OfKind alone{};                           // boxes for which the innermost of the loops may have one iteration only
  OfKind alone_words{};                     // of these
  bool are_again = true;                    // all of the latter are among `again`, and no box stays whole
};

struct RankTiles {
  std::array<RankSlider, 2> over{};
  OfKind least{~u64{0}, ~u64{0}}, most{};  // words, if every box comes whole
  u64 longest = 0, shortest = ~u64{0};     // boxes
};

// Words of a dimension that has a rank of its own, in tiles of so many elements, each whole.
u64 words_of_tiles(u64 coefficient, u64 size, u64 tile);

// Remembers what it has been asked.
class TilesOfRanks {
 public:
  RankTiles operator()(const RankTiling& rank);

 private:
  Remembered<std::array<u64, 20>, RankTiles> known_;
};

}  // namespace heliolite

#pragma once
// Boxes of a sliding tensor's tiles along a rank that two dimensions share, and what stays of one when the next tile's
// turn comes (docs/rules/any_factors.md, item 4, tile by tile).
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/split_mix.h"
#include "engine/model/true_counts/unit_groups.h"

namespace heliolite {

// Answers to questions that bounds ask again and again.

// `Key`: a range of numbers. Forgets all when there are too many answers.
template <class Key, class Value>
class Remembered {
 public:
  // The answer to a question; asks for it when it is new.
  template <class Ask>
  Value operator()(Key key, Ask&& ask) {
    if (known_.size() >= kMost) known_.clear();
    const auto [it, is_new] = known_.try_emplace(std::move(key));
    if (is_new) it->second = ask();
    return it->second;
  }

 private:
  static constexpr std::size_t kMost = 100'000;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      u64 value = 0;
      for (const u64 n : key) value = (value ^ n) * kSplitMixStep, value ^= value >> 32;
      return value;
    }
  };
  std::unordered_map<Key, Value, Hash> known_;
};

// Different sums of the places of units along two dimensions of a rank (docs/rules/any_factors.md, item 4).

// Units of one fan-out along dimensions a and b, and how far their places are apart along the rank; 0: not known.
struct PlaceRow {
  u64 units_a = 1, units_b = 1;
  u64 step_a = 0, step_b = 0;
};

// Requests are for one word if their units' places have the same sum in each fan-out, at one moment. Remembers what it
// has been asked.
class DistinctPlaces {
 public:
  // Different sums at least of two dimensions of these sizes, over all moments, whatever loops over time are between
  // the fan-outs (innermost first); 0: not known, as there are too many places.
  u64 least(u64 size_a, u64 size_b, const std::vector<PlaceRow>& rows);

 private:
  Remembered<std::vector<u64>, u64> known_;
};

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

// Words of a dimension that has a rank of its own, in tiles of `tile` elements, each whole.
u64 words_of_tiles(u64 coefficient, u64 size, u64 tile);

// Remembers what it has been asked.
class TilesOfRanks {
 public:
  RankTiles operator()(const RankTiling& rank);

 private:
  Remembered<std::array<u64, 20>, RankTiles> known_;
};

}  // namespace heliolite

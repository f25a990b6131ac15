#include "engine/search/any/whole_tiles.h"

#include <algorithm>
#include <bit>

#include "engine/search/any/requests.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {
namespace {

constexpr u64 kMostSizes = 256;  // of tile sizes that are looked at, of one rank

// One dimension of a rank: elements of a full tile, how many tiles are full, and elements of the last one if it is not.
struct TiledDimension {
  u64 coefficient, tile, full, rest;

  TiledDimension(u64 coefficient, u64 size, u64 tile)
      : coefficient(coefficient), tile(tile), full(size / tile), rest(size % tile) {}

  u64 tiles() const { return full + (rest == 0 ? 0 : 1); }
  // Words along the rank from the first element of a tile to its last one.
  u64 length() const { return coefficient * (tile - 1); }
  u64 length_of_rest() const { return coefficient * (rest - 1); }
  u64 all_lengths() const { return full * length() + (rest == 0 ? 0 : length_of_rest()); }
};

// All boxes of a rank, each by itself.
u64 words_of_boxes(const TiledDimension& a, const TiledDimension& b) {
  return a.all_lengths() * b.tiles() + b.all_lengths() * a.tiles() + a.tiles() * b.tiles();
}

// Requests are for equal boxes only: those of full tiles by all units that stand for the same sum, and those where one
// dimension has its last, shorter tile. Of the latter two boxes are equal if both are shorter by as many words.
u64 words_asked_for(const TiledDimension& a, const UnitRow& units_a, const TiledDimension& b, const UnitRow& units_b) {
  u64 words = asked_together(units_a, a.coefficient * a.tile, a.full, units_b, b.coefficient * b.tile, b.full) *
              (a.length() + b.length() + 1);
  const u64 short_a = a.rest == 0 ? 0 : b.full * (a.length_of_rest() + b.length() + 1);
  const u64 short_b = b.rest == 0 ? 0 : a.full * (a.length() + b.length_of_rest() + 1);
  const bool both = a.rest != 0 && b.rest != 0;
  const bool may_be_equal = both && a.length() - a.length_of_rest() == b.length() - b.length_of_rest();
  words += may_be_equal ? std::max(short_a, short_b) : short_a + short_b;
  return words + (both ? a.length_of_rest() + b.length_of_rest() + 1 : 0);
}

class WholeTiles {
 public:
  WholeTiles(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach)
      : costs_(costs),
        c_(costs.compiled()),
        t_(c_.tensor[flow.tensor]),
        flow_(flow),
        trail_(trail),
        reach_(reach),
        row_(unit_rows(flow, trail, trail.first(flow.boundary))) {
    for (int l = trail.first(flow.boundary); l < trail.size(); ++l)
      if (!trail[l].is_spatial()) looped_ |= dimension_bit(trail[l].dimension);
  }

  // Rank by rank.
  FlowTraffic words() const {
    FlowTraffic out{1, 1};
    for (int r = 0; r < t_.rank_count && out.fetched != 0; ++r) {
      const DimensionMask sharing = t_.sharing[at(r)];
      const FlowTraffic of_rank = sharing == 0                  ? alone(r)
                                  : std::popcount(sharing) == 2 ? together(r, sharing)
                                                                : FlowTraffic{};
      out = {out.fetched * of_rank.fetched, out.shared * of_rank.shared};
    }
    return out;
  }

 private:
  // Sizes that a tile of a dimension may have: tables look at numbers of tiles only.
  struct Sizes {
    u64 least, most;
    u64 count() const { return most - least + 1; }
  };
  Sizes sizes(int d) const {
    const TrailDimension& begin = trail_.at_begin(flow_.boundary)[at(d)];
    const u64 size = c_.size[at(d)];
    if (begin.more == 0 && begin.tile * begin.tiles >= size) {
      const u64 tile = std::min(begin.tile, size);
      return {tile, tile};
    }
    return {ceil_div(size, begin.most_tiles()), begin.tiles == 1 ? size : ceil_div(size, u64{begin.tiles} - 1) - 1};
  }
  bool has_loops_placed() const { return trail_.size() != trail_.first(flow_.boundary); }

  // A rank of one dimension: any step over it is as long as a tile, and no two units ask for the same one. The fewer
  // words the more tiles, as each leaves what is between it and the next one out.
  FlowTraffic alone(int rank) const {
    for (const int d : bits(t_.indexing)) {
      const CompiledTerm& term = t_.by_dimension[t_.first_of[at(d)]];
      if (term.rank != rank) continue;
      const u64 words = words_of_boxes({term.coefficient, c_.size[at(d)], sizes(d).least}, {1, 1, 1});
      return {words, words};
    }
    return {1, 1};
  }

  // A rank of two, of all sizes that its tiles may have the least.
  FlowTraffic together(int rank, DimensionMask sharing) const {
    if (!is_known(sharing)) return {};
    const int a = std::countr_zero(sharing), b = std::bit_width(sharing) - 1;
    const Sizes of_a = sizes(a), of_b = sizes(b);
    if (of_a.count() * of_b.count() > kMostSizes) return {};
    FlowTraffic out{~u64{0}, ~u64{0}};
    for (u64 x = of_a.least; x <= of_a.most; ++x)
      for (u64 y = of_b.least; y <= of_b.most; ++y) {
        const TiledDimension tiled_a = tiled(a, x), tiled_b = tiled(b, y);
        if (!come_whole(a, tiled_a, b, tiled_b)) return {};
        const u64 words = words_of_boxes(tiled_a, tiled_b);
        out = {std::min(out.fetched, words), std::min(out.shared, asked(rank, a, tiled_a, b, tiled_b, words))};
      }
    return out;
  }
  TiledDimension tiled(int d, u64 tile) const {
    return {t_.by_dimension[t_.first_of[at(d)]].coefficient, c_.size[at(d)], tile};
  }

  // Whether no two tiles that follow one another have words in common: only one of the dimensions has loops over time
  // outside them, and its steps are as long as a box.
  bool come_whole(int a, const TiledDimension& tiled_a, int b, const TiledDimension& tiled_b) const {
    const bool loops_a = has_loops(a, tiled_a), loops_b = has_loops(b, tiled_b);
    if (!loops_a && !loops_b) return true;
    if (loops_a && loops_b) return false;
    const TiledDimension& loops = loops_a ? tiled_a : tiled_b;
    return loops.coefficient * loops.tile * row(flow_.boundary, loops_a ? a : b).units >=
           tiled_a.length() + tiled_b.length() + 1;
  }
  bool has_loops(int d, const TiledDimension& tiled) const {
    const u64 tiles = has_loops_placed() ? u64{trail_.of(d).tiles} : tiled.tiles();
    return contains(looped_, d) || tiles > left(d);
  }

  u64 asked(int rank, int a, const TiledDimension& tiled_a, int b, const TiledDimension& tiled_b, u64 words) const {
    UnitRow units_a, units_b;
    for (int i = flow_.boundary; i <= flow_.outer; ++i) {
      const UnitRow here_a = row(i, a), here_b = row(i, b);
      if (here_a.units == 1 || here_b.units == 1) continue;
      if (units_a.units != 1) return touched_along(t_, rank, c_.size);  // they meet in several fan-outs
      units_a = here_a, units_b = here_b;
    }
    return units_a.units == 1 ? words : words_asked_for(tiled_a, units_a, tiled_b, units_b);
  }

  // Whether all units along these dimensions stand, or will in the fan-out around the tile, each dimension's number
  // being known.
  bool is_known(DimensionMask dimensions) const {
    const int last = c_.level_count - 1;
    if (costs_.units_to_come(trail_, reach_, last, dimensions) == 1) return true;
    if (reach_.level != flow_.boundary || !costs_.split(dimensions)) return false;
    return costs_.units_to_come(trail_, {reach_.level, 1, 1}, last, dimensions) == 1;
  }
  // Units along a dimension that the fan-out around the tile has yet to make.
  u64 left(int d) const {
    if (reach_.level != flow_.boundary || !costs_.split(dimension_bit(d))) return 1;
    return costs_.known_units_left(trail_, reach_, d);
  }
  UnitRow row(int level, int d) const {
    UnitRow out = row_[at(level)][at(d)];
    if (level == flow_.boundary) out.units *= left(d);
    return out;
  }

  const KeptFlows& costs_;
  const Compiled& c_;
  const CompiledTensor& t_;
  const Flow& flow_;
  const Trail& trail_;
  const Reach& reach_;
  DimensionMask looped_ = 0;  // dimensions with a temporal loop outside the tile
  const UnitRows row_;        // in tiles
};

}  // namespace

FlowTraffic whole_tiles(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach) {
  if (costs.compiled().tensor[flow.tensor].entangled) return {};
  return WholeTiles(costs, flow, trail, reach).words();
}

}  // namespace heliolite

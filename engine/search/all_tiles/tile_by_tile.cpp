// Words of a sliding tensor, tile by tile (docs/rules/any_factors.md, item 4).

#include <algorithm>
#include <bit>

#include "engine/search/all_tiles/sliding_words.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {
namespace {

constexpr u64 kMostSizes = 256;  // of tile sizes that are looked at, of one rank

class TilesOfFlow : PlacedFlow {
 public:
  explicit TilesOfFlow(const PlacedFlow& placed)
      : PlacedFlow(placed), placed_(unit_rows(flow, trail, trail.first(flow.boundary))) {
    for (int l = trail.first(flow.boundary); l < trail.size(); ++l)
      if (!trail[l].is_spatial()) looped_ |= dimension_bit(trail[l].dimension);
  }

  // Steps:
  //  1. Rank by rank, what all boxes have, and what loops over each dimension leave of them.
  //  2. For each dimension, if it is the innermost loop over it that moves the tensor: what is left of all words.
  FlowTraffic words() {
    for (int r = 0; r < t.rank_count; ++r) {
      const DimensionMask sharing = t.sharing[r];
      if (sharing == 0) alone(r);
      else if (std::popcount(sharing) != 2 || !together(r, sharing)) return {};
    }
    FlowTraffic out{product(&RankTiles::least, kFetched, -1, -1), product(&RankTiles::least, kShared, -1, -1)};
    for (std::size_t k = 0; k < slider_count_; ++k) {
      const RankSlider& over = *slider_[k].over;
      if (over.stays[kFetched] == 0 && over.stays[kShared] == 0) continue;
      out.fetched = std::min(out.fetched, if_moved_by(k, kFetched));
      out.shared = std::min(out.shared, if_moved_by(k, kShared));
    }
    return out;
  }

 private:
  // Sizes that a tile of a dimension may have: tables look at numbers of tiles only.
  struct Sizes {
    u64 least, most;
  };
  Sizes sizes(int d) const {
    const TrailDimension& begin = trail.at_begin(flow.boundary)[d];
    const u64 size = c.size[d];
    if (begin.more == 0 && begin.tile * begin.tiles >= size) {
      const u64 tile = std::min(begin.tile, size);
      return {tile, tile};
    }
    const u64 least = ceil_div(size, begin.most_tiles());
    const u64 most = begin.tiles == 1 ? size : ceil_div(size, u64{begin.tiles} - 1) - 1;
    return {least, std::max(least, std::min(most, trail.widest(d)))};
  }

  // A rank of one dimension: any step over it is as long as a tile, and no two units ask for the same one. The fewer
  // words the more tiles, as each leaves what is between it and the next one out.
  void alone(int rank) {
    RankTiles& out = rank_[rank];
    out.least = out.most = {1, 1};
    out.longest = out.shortest = 1;
    for (const int d : bits(t.indexing)) {
      const CompiledTerm& term = t.by_dimension[t.first_of[d]];
      if (term.rank != rank) continue;
      const Sizes of = sizes(d);
      const u64 least = words_of_tiles(term.coefficient, c.size[d], of.least);
      out.least = {least, least};
      out.most.fill(term.coefficient * (u64{c.size[d]} - 1) + 1);
      out.longest = term.coefficient * (of.most - 1) + 1;
    }
  }

  // A rank of two. Returns whether the units that stand outside are known.
  bool together(int rank, DimensionMask sharing) {
    if (costs.units_to_come(trail, reach, c.level_count - 1, sharing) != 1 && !costs.split(sharing)) return false;
    const std::array<int, 2> d{std::countr_zero(sharing), std::bit_width(sharing) - 1};
    RankTiling tiling{{known(d[0]), known(d[1])}, true, touched_along(t, rank, c.size)};
    u64 count = 1;
    for (const RankDimension& of : tiling.of) count *= of.most_tile - of.least_tile + 1;
    if (count > kMostSizes) return false;
    meet(d, tiling);
    const RankTiles& tiles = rank_[rank] = costs.tiles_of_ranks()(tiling);
    for (std::size_t k = 0; k < 2; ++k)
      if (tiles.over[k].any) slider_[slider_count_++] = {&tiles.over[k], rank};
    return true;
  }

  RankDimension known(int d) const {
    const Sizes tile = sizes(d);
    RankDimension out{
        .coefficient = coefficient(d), .size = c.size[d], .least_tile = tile.least, .most_tile = tile.most};
    for (int l = trail.first(flow.boundary); l < trail.size(); ++l) {
      if (!trail[l].is_spatial() || trail[l].dimension != d) continue;
      out.units *= trail[l].end;
      if (trail[l].level == flow.boundary) out.units_around *= trail[l].end;
    }
    u64 to_come = 1;
    for (int i = flow.boundary; i < c.level_count; ++i) to_come *= costs.known_units_left(trail, reach, i, d);
    out.units *= to_come;
    out.units_around *= costs.known_units_left(trail, reach, flow.boundary, d);
    const bool any_placed = trail.size() != trail.first(flow.boundary);
    const bool loops = contains(looped_, d) || trail.of(d).tiles > to_come;
    out.loops_above = !any_placed ? to_come : loops ? 0 : ~u64{0};
    return out;
  }

  // The rows of the fan-out, up to the outer level's, where units along both dimensions meet.
  void meet(const std::array<int, 2>& d, RankTiling& tiling) const {
    for (int i = flow.boundary; i <= flow.outer; ++i) {
      std::array<UnitRow, 2> row;
      bool known = true;
      for (std::size_t k = 0; k < 2; ++k) {
        row[k] = placed_[i][d[k]];
        const u64 to_come = costs.known_units_left(trail, reach, i, d[k]);
        if (to_come != 1) known &= i == flow.boundary;  // else loops may come in between
        row[k].units *= to_come;
      }
      if (row[0].units == 1 || row[1].units == 1) continue;
      tiling.meets_known &= known && tiling.of[0].met.units == 1;
      for (std::size_t k = 0; k < 2; ++k) tiling.of[k].met = row[k];
    }
  }

  // The product of all ranks but these.
  u64 product(OfKind RankTiles::*words, TileKind kind, int without, int and_without) const {
    u64 n = 1;
    for (int r = 0; r < t.rank_count; ++r)
      if (r != without && r != and_without) n *= (rank_[r].*words)[kind];
    return n;
  }

  // If the innermost loop that moves the tensor is one of these. Where it has one iteration only, others may leave
  // something.
  u64 if_moved_by(std::size_t m, TileKind kind) const {
    const Slider& mover = slider_[m];
    const u64 words = mover.over->words[kind] * product(&RankTiles::least, kind, mover.rank, -1);
    return words - std::min(words, stay_where_alone(1u << m, kind));
  }

  // Words that may stay where each of these has one iteration only, at most.
  u64 stay_where_alone(u32 alone, TileKind kind) const {
    u64 most = 0;
    for (std::size_t k = 0; k < slider_count_; ++k)
      if (!contains(alone, k) && slider_[k].over->stays[kind] != 0)
        most = std::max(most, stays_more(k, alone, kind) + stay_where_alone(alone | 1u << k, kind));
    return most;
  }

  // Words among them that the loops over one dimension leave, and that are not counted yet.
  u64 stays_more(std::size_t k, u32 alone, TileKind kind) const {
    const RankSlider& over = *slider_[k].over;
    const int rank = slider_[k].rank;
    const Slider& m = slider_[std::countr_zero(alone)];
    if (std::popcount(alone) == 1 && m.over->are_again && over.are_again) {  // m's own stay is counted
      const u64 boxes = m.over->alone[kind];
      if (m.rank == rank)
        return (over.most_stay - std::min(over.most_stay, m.over->least_stay)) * std::min(boxes, over.again[kind]) *
               product(&RankTiles::most, kind, rank, -1);
      const u64 of_m = m.over->least_stay * rank_[rank].shortest;
      const u64 of_k = over.most_stay * rank_[m.rank].longest;
      return (of_k - std::min(of_k, of_m)) * boxes * over.again[kind] * product(&RankTiles::most, kind, m.rank, rank);
    }
    u64 words = 1;
    for (int r = 0; r < t.rank_count; ++r) {
      u64 most = r == rank ? over.stays[kind] : rank_[r].most[kind];
      for (const int j : bits(alone))
        if (slider_[j].rank == r) most = std::min(most, slider_[j].over->alone_words[kind]);
      words *= most;
    }
    return words;
  }

  // A dimension of a rank of two with loops over time outside the tile.
  struct Slider {
    const RankSlider* over;
    int rank;
  };

  DimensionMask looped_ = 0;  // dimensions with loops over time outside the tile
  const UnitRows placed_;     // in tiles
  std::array<RankTiles, kMaxRanks> rank_;
  std::array<Slider, kMaxDimensions> slider_{};
  std::size_t slider_count_ = 0;
};

}  // namespace

FlowTraffic tile_by_tile(const PlacedFlow& flow) {
  if (flow.t.entangled || !flow.trail.knows_tiles(flow.flow.boundary)) return {};
  return TilesOfFlow(flow).words();
}

}  // namespace heliolite

#include "engine/search/all_tiles/sliding_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {
namespace {

constexpr double kRoundedUp = 1 + 1e-9;

class MostMulticast {
 public:
  explicit MostMulticast(std::span<const MulticastRank> ranks) : ranks_(ranks) {}

  // The ranks from k on, with those before as chosen.
  double from(std::size_t k, double along_a, double along_b, double together) {
    if (k == ranks_.size()) return with_chosen(std::min(along_b, together));
    double best = 0;
    for (u64 a = 1; a <= ranks_[k].a && static_cast<double>(a) <= std::min(along_a, together); ++a) {
      a_[k] = static_cast<double>(a);
      best = std::max(best, from(k + 1, along_a / a_[k], along_b, together / a_[k]));
    }
    return best;
  }

 private:
  // The best B for the chosen A, of `units` together. The logarithm of A B / (A + B - 1) is concave in that of B, with
  // the slope (A - 1) / (A + B - 1), which is the same for all ranks where B = m (A - 1); ranks that have room for no
  // more take what they can.
  double with_chosen(double units) {
    std::array<bool, kMaxRanks> full{};
    double out = 1;
    for (bool again = true; again;) {
      again = false;
      int left = 0;
      double product = 1;
      for (std::size_t k = 0; k < ranks_.size(); ++k)
        if (!full[k] && a_[k] > 1) ++left, product *= a_[k] - 1;
      if (left == 0) break;
      const double m = std::pow(units / product, 1.0 / left);
      for (std::size_t k = 0; k < ranks_.size(); ++k) {
        if (full[k] || a_[k] == 1 || m * (a_[k] - 1) < static_cast<double>(ranks_[k].b)) continue;
        full[k] = again = true;
        out *= multicast(a_[k], static_cast<double>(ranks_[k].b));
        units /= static_cast<double>(ranks_[k].b);
      }
      if (again) continue;
      for (std::size_t k = 0; k < ranks_.size(); ++k)
        if (!full[k] && a_[k] > 1) out *= multicast(a_[k], m * (a_[k] - 1));
    }
    return out;
  }
  static double multicast(double a, double b) { return a * b / (a + b - 1); }

  std::span<const MulticastRank> ranks_;
  std::array<double, kMaxRanks> a_{};
};

}  // namespace

double most_multicast(std::span<const MulticastRank> ranks, double along_a, double along_b, double together) {
  double out = 1;
  std::array<MulticastRank, kMaxRanks> listed;
  std::size_t count = 0;
  for (const MulticastRank& rank : ranks)
    if (rank.a > kMostListed) out *= static_cast<double>(rank.a);
    else if (rank.a > 1) listed[count++] = rank;
  return out * MostMulticast(std::span(listed).first(count)).from(0, along_a, along_b, together) * kRoundedUp;
}

namespace {

class HeldByUnits : PlacedFlow {
 public:
  HeldByUnits(const PlacedFlow& placed, const UnitsAlong& along) : PlacedFlow(placed), units_to_come_(along) {
    std::array<TrailCells, kMaxDimensions> cells;
    cells.fill(kOneCell);
    for (int l = trail.first(flow.boundary); l < trail.size(); ++l)
      trail[l].is_spatial() ? cells[trail[l].dimension].all(trail[l]) : cells[trail[l].dimension].first(trail[l]);
    for (int d = 0; d < c.dimension_count; ++d) places_[d] = cells[d].if_first(trail.of(d).tiles);
  }

  FlowTraffic least() { return least(costs.has_unrolling() ? 0 : costs.classes().size()); }

  // Along each rank of two dimensions, by the units that are placed.
  std::array<u64, kMaxRanks> placed() const {
    std::array<u64, kMaxRanks> out{};
    for (int r = 0; r < t.rank_count; ++r) {
      const DimensionMask sharing = t.sharing[r];
      if (std::popcount(sharing) != 2) continue;
      const int a = std::countr_zero(sharing), b = std::bit_width(sharing) - 1;
      out[r] = std::max(along(a, b).fetched, along(b, a).fetched);
    }
    return out;
  }

 private:
  // Whichever dimensions of a class the units to come stand along; classes from k on.
  FlowTraffic least(std::size_t k) {
    if (k == costs.classes().size()) return words();
    const DimensionMask of_class = costs.classes()[k];
    if (costs.split(of_class)) return least_of_split(of_class, k);
    const auto sharing = static_cast<DimensionMask>(of_class & t.sharing_any);
    const u64 units = sharing == 0 || sharing != of_class ? 1 : costs.class_to_come(trail, reach, c.level_count - 1, k);
    const int a = std::countr_zero(sharing), b = std::bit_width(sharing) - 1;
    if (units == 1 || std::popcount(sharing) > 2) return least(k + 1);
    const u64 before_a = places_[a], before_b = places_[b];
    FlowTraffic out{~u64{0}, ~u64{0}};
    for (u64 along_a = 1; along_a <= units; ++along_a) {
      if (units % along_a != 0 || (a == b && along_a != units)) continue;
      if (!spread(a, along_a) || (a != b && !spread(b, units / along_a))) {
        places_[a] = before_a, places_[b] = before_b;
        continue;
      }
      const FlowTraffic one = least(k + 1);
      out = {std::min(out.fetched, one.fetched), std::min(out.shared, one.shared)};
      places_[a] = before_a, places_[b] = before_b;
    }
    return out.fetched == ~u64{0} ? least(k + 1) : out;
  }

  FlowTraffic least_of_split(DimensionMask dimensions, std::size_t k) {
    const auto before = places_;
    for (const int d : bits(static_cast<DimensionMask>(dimensions & t.sharing_any))) spread(d, units_to_come_[d]);
    const FlowTraffic out = least(k + 1);
    places_ = before;
    return out;
  }

  // Lets `units` more stand along a dimension; false: it has no room for them.
  bool spread(int d, u64 units) {
    if (units == 1) return true;
    if (units >= 2 * trail.of(d).most_tiles()) return false;
    u64& places = places_[d];
    places = std::min<u64>(c.size[d], (working_places(units) - 1) * places + 1);
    return true;
  }

  // Places along one dimension of a rank have all its elements together, those along another one all of that, and what
  // two of them touch are sums of both.
  FlowTraffic words() const {
    FlowTraffic n{1, 1};
    for (const int d : bits(static_cast<DimensionMask>(t.indexing & ~t.sharing_any)))
      n.fetched *= c.size[d], n.shared *= c.size[d];
    for (int r = 0; r < t.rank_count; ++r) {
      const DimensionMask sharing = t.sharing[r];
      if (sharing == 0) continue;
      if (std::popcount(sharing) != 2) return {};
      const int a = std::countr_zero(sharing), b = std::bit_width(sharing) - 1;
      const FlowTraffic one = along(a, b), other = along(b, a);
      n.fetched *= std::max(one.fetched, other.fetched);
      n.shared *= std::max(one.shared, other.shared);
    }
    return n;
  }

  // Let a step of dimension a be s words of the rank. x elements of it and y of b, which leave q different rests by s,
  // make q (x - 1) + y different words at least: those of each rest as many as elements of both, less one. A and B
  // places have all A' and B' elements, so q (A' - A) + A B' words, q being the sum of the B places' rests: of a tile
  // each at least, and together of all rests that B' elements may leave.
  //
  // Two units ask for the same tiles together at most if their places have the same sum, which these do not:
  //  1. All A with the first of the B places, which has B'' elements, and the last of the A with the others.
  //  2. For each rest that the B places themselves leave: the first of the A, which has A'' elements, with all of that
  //     rest, and the others of the A with the last of them.
  FlowTraffic along(int a, int b) const {
    const u64 all_a = c.size[a], all_b = c.size[b], places_a = places_[a], places_b = places_[b];
    const u64 first_a = first_place(a), first_b = first_place(b), alike = alike_by_step(c, t, a, b);
    const u64 one = ceil_div(first_b, alike) * (all_a - places_a) + all_b + (places_a - 1) * first_b;
    const u64 other = all_b + places_b * (first_a - 1) + ceil_div(places_b, alike) * (all_a - first_a);
    const u64 rests = std::max(rests_of_tiles(b, places_b, alike), ceil_div(all_b, alike));
    return {rests * (all_a - places_a) + places_a * all_b, std::max(one, other)};
  }

  // Rests that the elements of `places` along a dimension leave at least, place by place; consecutive elements
  // leave as many different ones as all do. Each place has a tile, and only one tile is short.
  u64 rests_of_tiles(int d, u64 places, u64 alike) const {
    const TrailDimension& begin = trail.at_begin(flow.boundary)[d];
    if (begin.more != 0) return places;
    return (places - 1) * std::min(begin.tile, ceil_div(u64{c.size[d]}, alike)) + 1;
  }

  // Elements at least of the first place along a dimension.
  u64 first_place(int d) const {
    u64 units = units_to_come_[d];
    for (int l = trail.first(flow.boundary); l < trail.size(); ++l)
      if (trail[l].is_spatial() && trail[l].dimension == d) units *= trail[l].end;
    return (c.size[d] - 1) / units + 1;
  }

  const UnitsAlong& units_to_come_;
  std::array<u64, kMaxDimensions> places_;
};

}  // namespace

HeldWords held_by_units(const PlacedFlow& placed, const UnitsAlong& along) {
  const u64 touched = placed.flow.touched;
  if (placed.t.entangled) return {{touched, touched}, {}};
  HeldByUnits held(placed, along);
  const FlowTraffic words = held.least();
  return {{std::max(touched, words.fetched), std::max(touched, words.shared)}, held.placed()};
}

// Words of a sliding tensor, tile by tile (docs/rules/any_factors.md, item 4).

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

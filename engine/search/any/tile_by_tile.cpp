#include "engine/search/any/tile_by_tile.h"

#include <algorithm>
#include <bit>
#include <numeric>

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
  // The first `n` tiles only.
  TiledDimension first(u64 n) const {
    TiledDimension out = *this;
    if (n < tiles()) out.full = n, out.rest = 0;
    return out;
  }
};

// Boxes along a rank, or requests for them, and their words.
struct Boxes {
  u64 number, words;
};

// Each by itself.
Boxes all_boxes(const TiledDimension& a, const TiledDimension& b) {
  const u64 number = a.tiles() * b.tiles();
  return {number, a.all_lengths() * b.tiles() + b.all_lengths() * a.tiles() + number};
}

// Requests are for equal boxes only: those of full tiles by all units that stand for the same sum, and those where one
// dimension has its last, shorter tile. Of the latter two boxes are equal if both are shorter by as many words: those
// of the dimension that has fewer are left out.
Boxes boxes_asked_for(const TiledDimension& a, const UnitRow& units_a, const TiledDimension& b, const UnitRow& units_b,
                      bool without_short_a, bool without_short_b) {
  const u64 full = asked_together(units_a, a.coefficient * a.tile, a.full, units_b, b.coefficient * b.tile, b.full);
  Boxes out{full, full * (a.length() + b.length() + 1)};
  const auto add = [&](u64 number, u64 words) { out.number += number, out.words += number * words; };
  if (a.rest != 0 && !without_short_a) add(b.full, a.length_of_rest() + b.length() + 1);
  if (b.rest != 0 && !without_short_b) add(a.full, a.length() + b.length_of_rest() + 1);
  if (a.rest != 0 && b.rest != 0) add(1, a.length_of_rest() + b.length_of_rest() + 1);
  return out;
}

// Into tiles, and as requests.
enum Kind : u8 { kFetched, kShared };
using OfKind = std::array<u64, 2>;

// A dimension of a rank of two with loops over time outside the tile, over all sizes of tiles that are looked at.
struct Slider {
  int d, rank;
  u64 most_stay = 0, least_stay = ~u64{0};  // of a full box along the rank, when one of the loops goes on
  OfKind words{~u64{0}, ~u64{0}};           // along the rank, if it is these loops that leave something, at least
  OfKind again{};                           // boxes of which part may stay then, at most
  OfKind stays{};                           // words along the rank that do, at most
  OfKind alone{};                           // boxes for which the innermost of the loops may have one iteration only
  OfKind alone_words{};                     // of these
  bool are_again = true;                    // all of the latter are among `again`, and no box stays whole
};

// A rank, likewise.
struct Rank {
  OfKind least{~u64{0}, ~u64{0}}, most{};  // words, if every box comes whole
  u64 longest = 0, shortest = ~u64{0};     // boxes
};

class TilesOfFlow {
 public:
  TilesOfFlow(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach)
      : costs_(costs),
        c_(costs.compiled()),
        t_(c_.tensor[flow.tensor]),
        flow_(flow),
        trail_(trail),
        reach_(reach),
        placed_(unit_rows(flow, trail, trail.first(flow.boundary))) {
    for (int l = trail.first(flow.boundary); l < trail.size(); ++l)
      if (!trail[l].is_spatial()) ++loops_[trail[l].dimension];
  }

  TileByTile words() {
    for (int r = 0; r < t_.rank_count; ++r) {
      const DimensionMask sharing = t_.sharing[at(r)];
      if (sharing == 0) alone(r);
      else if (std::popcount(sharing) != 2 || !together(r, sharing)) return {};
    }
    TileByTile out;
    const FlowTraffic whole{product(&Rank::least, kFetched, -1, -1), product(&Rank::least, kShared, -1, -1)};
    out.least = whole;
    std::array<FlowTraffic, kMaxDimensions> by{};
    for (std::size_t k = 0; k < slider_count_; ++k) {
      by[k] = {if_moved_by(k, kFetched), if_moved_by(k, kShared)};
      if (slider_[k].stays[kFetched] == 0 && slider_[k].stays[kShared] == 0) continue;
      out.least = {std::min(out.least.fetched, by[k].fetched), std::min(out.least.shared, by[k].shared)};
    }
    out.if_first.fill(out.least);
    for (std::size_t k = 0; k < slider_count_; ++k)
      out.if_first[at(slider_[k].d)] = {std::max(out.least.fetched, by[k].fetched),
                                        std::max(out.least.shared, by[k].shared)};
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
    const u64 least = ceil_div(size, begin.most_tiles());
    const u64 most = begin.tiles == 1 ? size : ceil_div(size, u64{begin.tiles} - 1) - 1;
    return {least, std::max(least, std::min(most, trail_.widest(d)))};
  }

  u64 coefficient(int d) const { return t_.by_dimension[t_.first_of[at(d)]].coefficient; }

  // A rank of one dimension: any step over it is as long as a tile, and no two units ask for the same one. The fewer
  // words the more tiles, as each leaves what is between it and the next one out.
  void alone(int rank) {
    Rank& out = rank_[at(rank)];
    out = {{1, 1}, {1, 1}, 1, 1};
    for (const int d : bits(t_.indexing)) {
      const CompiledTerm& term = t_.by_dimension[t_.first_of[at(d)]];
      if (term.rank != rank) continue;
      const Sizes of = sizes(d);
      const u64 least = all_boxes({term.coefficient, c_.size[at(d)], of.least}, {1, 1, 1}).words;
      const u64 most = term.coefficient * (u64{c_.size[at(d)]} - 1) + 1;
      out = {{least, least}, {most, most}, term.coefficient * (of.most - 1) + 1, 1};
    }
  }

  // A rank of two. Returns whether the units that stand outside are known.
  bool together(int rank, DimensionMask sharing) {
    if (costs_.units_to_come(trail_, reach_, c_.level_count - 1, sharing) != 1 && !costs_.split(sharing)) return false;
    const int a = std::countr_zero(sharing), b = std::bit_width(sharing) - 1;
    const Sizes of_a = sizes(a), of_b = sizes(b);
    if (of_a.count() * of_b.count() > kMostSizes) return false;
    units_[at(a)] = units(a), units_[at(b)] = units(b);
    meet(a, b);
    const std::size_t first = slider_count_;
    slider_[slider_count_++] = {a, rank};
    slider_[slider_count_++] = {b, rank};
    std::array<bool, 2> loops{};
    for (u64 x = of_a.least; x <= of_a.most; ++x)
      for (u64 y = of_b.least; y <= of_b.most; ++y) {
        const TiledDimension tiled_a{coefficient(a), c_.size[at(a)], x}, tiled_b{coefficient(b), c_.size[at(b)], y};
        look_at(tiled_a, tiled_b, slider_[first], slider_[first + 1], loops);
      }
    // Those without loops move nothing.
    std::size_t kept = first;
    for (std::size_t k = 0; k < 2; ++k)
      if (loops[k]) slider_[kept++] = slider_[first + k];
    slider_count_ = kept;
    return true;
  }

  // Units along a dimension, placed and to come.
  struct Units {
    u64 around = 1;  // in the fan-out around the tile
    u64 all = 1;
    u64 left = 1;  // of all, those to come
  };
  Units units(int d) const {
    Units out;
    for (int i = flow_.boundary; i < c_.level_count; ++i) {
      const u64 left = i == reach_.level                                    ? costs_.known_units_left(trail_, reach_, d)
                       : i > reach_.level && costs_.split(dimension_bit(d)) ? costs_.known_units(i, d)
                                                                            : 1;
      u64 here = left;
      for (int l = trail_.first(std::min(i, reach_.level)); i <= reach_.level && l < trail_.size(); ++l)
        if (trail_[l].is_spatial() && trail_[l].level == i && trail_[l].dimension == d) here *= trail_[l].end;
      if (i == flow_.boundary) out.around = here;
      out.all *= here;
      out.left *= left;
    }
    return out;
  }

  // The rows of the fan-out, up to the outer level's, where units along both dimensions meet.
  void meet(int a, int b) {
    met_ = {};
    met_known_ = true;
    for (int i = flow_.boundary; i <= flow_.outer; ++i) {
      UnitRow row_a = placed_[at(i)][at(a)], row_b = placed_[at(i)][at(b)];
      bool known = true;
      const auto add = [&](int d, UnitRow& row) {
        const u64 left = i == reach_.level ? costs_.known_units_left(trail_, reach_, d)
                         : i > reach_.level && costs_.split(dimension_bit(d)) ? costs_.known_units(i, d)
                                                                              : 1;
        if (left == 1) return;
        known &= i == flow_.boundary;  // else loops may come in between
        row.units *= left;
      };
      add(a, row_a), add(b, row_b);
      if (row_a.units == 1 || row_b.units == 1) continue;
      if (!known || met_[0].units != 1) met_known_ = false;
      met_ = {row_a, row_b};
    }
  }

  bool has_loops(int d, const TiledDimension& tiled) const {
    const bool any_placed = trail_.size() != trail_.first(flow_.boundary);
    const u64 tiles = any_placed ? u64{trail_.of(d).tiles} : tiled.tiles();
    return loops_[at(d)] != 0 || tiles > units_[at(d)].left;
  }
  // Whether each unit with several tiles has them in one group.
  bool in_one_loop(int d) const {
    const bool any_placed = trail_.size() != trail_.first(flow_.boundary);
    return any_placed && loops_[at(d)] == 1 && trail_.of(d).tiles == 1;
  }

  // Boxes of the rank at the moments from the t-th on of one dimension.
  Boxes boxes(Kind kind, const TiledDimension& a, const TiledDimension& b, bool of_a, u64 t) const {
    const u64 n = t * units_[at(of_a ? dimension_a_ : dimension_b_)].around;
    const auto first = [&](const TiledDimension& x, const TiledDimension& y) {
      if (kind == kFetched || !met_known_) return all_boxes(x, y);
      return boxes_asked_for(x, met_[0], y, met_[1], without_short_a_, without_short_b_);
    };
    Boxes out = first(a, b);
    if (n == 0) return out;
    const Boxes before =
        of_a ? (n < a.tiles() ? first(a.first(n), b) : out) : (n < b.tiles() ? first(a, b.first(n)) : out);
    return {out.number - before.number, out.words - before.words};
  }

  // Steps, for tiles of one size:
  //  1. What all boxes have, each whole.
  //  2. What a loop over each dimension leaves of a box, and of which ones.
  //  3. What is left of the whole ones' words then.
  void look_at(const TiledDimension& a, const TiledDimension& b, Slider& over_a, Slider& over_b,
               std::array<bool, 2>& loops) {
    dimension_a_ = over_a.d, dimension_b_ = over_b.d;
    Rank& rank = rank_[at(over_a.rank)];
    const bool both_short = a.rest != 0 && b.rest != 0;
    const bool may_be_equal = both_short && a.length() - a.length_of_rest() == b.length() - b.length_of_rest();
    const u64 short_a = b.full * (a.length_of_rest() + b.length() + 1);
    const u64 short_b = a.full * (a.length() + b.length_of_rest() + 1);
    without_short_a_ = may_be_equal && short_a < short_b;
    without_short_b_ = may_be_equal && !without_short_a_;
    const u64 box = a.length() + b.length() + 1;
    rank.longest = std::max(rank.longest, box);
    rank.shortest = std::min(rank.shortest, (a.rest == 0 ? a.length() : a.length_of_rest()) +
                                                (b.rest == 0 ? b.length() : b.length_of_rest()) + 1);
    const u64 different = touched_along(t_, over_a.rank, c_.size);
    OfKind all{boxes(kFetched, a, b, true, 0).words, met_known_ ? boxes(kShared, a, b, true, 0).words : different};
    for (const Kind k : {kFetched, kShared}) {
      rank.least[k] = std::min(rank.least[k], all[k]);
      rank.most[k] = std::max(rank.most[k], all[k]);
    }
    const bool loops_a = has_loops(over_a.d, a), loops_b = has_loops(over_b.d, b);
    loops[0] |= loops_a, loops[1] |= loops_b;
    const u64 step_a = a.coefficient * a.tile * units_[at(over_a.d)].around;
    const u64 step_b = b.coefficient * b.tile * units_[at(over_b.d)].around;
    const u64 span_a = a.coefficient * (u64{c_.size[at(over_a.d)]} - 1);
    const u64 span_b = b.coefficient * (u64{c_.size[at(over_b.d)]} - 1);
    const u64 common = loops_a && loops_b ? std::lcm(step_a, step_b) : 0;
    // Whether steps over both dimensions may bring a tile back to where it was.
    const bool comes_back = common != 0 && common <= std::min(span_a, span_b);
    const auto look = [&](Slider& over, const TiledDimension& tiled, const Slider& over_other,
                          const TiledDimension& other, bool of_a, u64 step, u64 span, u64 other_span) {
      const Units &units = units_[at(over.d)], &other_units = units_[at(over_other.d)];
      const u64 tiles = tiled.tiles(), others = other.tiles();
      const u64 stay = box - std::min(box, step);
      over.most_stay = std::max(over.most_stay, stay);
      over.least_stay = std::min(over.least_stay, stay);
      // Whether a step of the other dimension may move the tile as far as one of this does.
      const u64 far = common == 0 ? 0 : ceil_div(2 * step, common) * common;
      const bool as_far = common != 0 && far <= std::min(other_span, span + step);
      const bool first_known = !comes_back && !as_far;
      // Those that may be where the tile was: of each two of a unit the first, after a step of the other dimension.
      OfKind back{};
      if (comes_back) {
        const u64 of_unit = tiles / units.around, one_more = tiles % units.around;
        const auto begins_of = [](u64 tiles) { return tiles < 2 ? 0 : ceil_div(tiles, u64{2}); };
        const u64 begins = units.all != units.around
                               ? (tiles + std::min(tiles, units.all)) / 2
                               : one_more * begins_of(of_unit + 1) + (units.around - one_more) * begins_of(of_unit);
        back[kFetched] = begins * (others - std::min(others, other_units.around));
        back[kShared] = boxes(kShared, a, b, !of_a, 1).number;
      }
      // Of boxes that are shorter along the other dimension less stays.
      const u64 short_box = other.rest == 0 ? box : tiled.length() + other.length_of_rest() + 1;
      const u64 less = other.rest == 0 ? 0 : stay - (short_box - std::min(short_box, step));
      for (const Kind k : {kFetched, kShared}) {
        const u64 again = boxes(k, a, b, of_a, first_known ? 1 : 0).number;
        const u64 of_short = k == kFetched && less != 0 ? again / others * less : 0;
        const u64 stays = stay * again - of_short + (box - stay) * back[k];
        over.again[k] = std::max(over.again[k], again);
        over.stays[k] = std::max(over.stays[k], stays);
        const u64 words =
            k == kShared && !met_known_ ? different : std::max(different, all[k] - std::min(all[k], stays));
        over.words[k] = std::min(over.words[k], words);
      }
      // Boxes of units with one tile, and last ones of units with several.
      const bool are_again = first_known && tiles >= 2 * units.around && units.all == units.around;
      u64 tiles_alone = 0, moment = 0;
      if (units.all != units.around) {
        tiles_alone = std::min(tiles, units.all);
      } else if (tiles < 2 * units.around) {
        tiles_alone = 2 * units.around - tiles;
      } else if (tiles > 2 * units.around && !in_one_loop(over.d)) {
        const u64 moments = ceil_div(tiles, units.around);
        moment = tiles % units.around == 0 ? moments - 1 : moments - 2;
        tiles_alone = std::min(units.around, tiles - 2 * units.around);
      }
      OfKind alone{}, alone_words{};
      if (tiles_alone != 0) {
        alone = {tiles_alone * others, boxes(kShared, a, b, of_a, moment).number};
        alone_words = {tiles_alone * (others * (tiled.length() + 1) + other.all_lengths()), alone[kShared] * box};
      }
      for (const Kind k : {kFetched, kShared}) over.alone_words[k] = std::max(over.alone_words[k], alone_words[k]);
      over.are_again &= are_again;
      for (const Kind k : {kFetched, kShared}) over.alone[k] = std::max(over.alone[k], alone[k]);
    };
    if (loops_a) look(over_a, a, over_b, b, true, step_a, span_a, span_b);
    if (loops_b) look(over_b, b, over_a, a, false, step_b, span_b, span_a);
  }

  // Of all ranks but these.
  u64 product(OfKind Rank::*words, Kind kind, int without, int and_without) const {
    u64 n = 1;
    for (int r = 0; r < t_.rank_count; ++r)
      if (r != without && r != and_without) n *= (rank_[at(r)].*words)[kind];
    return n;
  }

  // If the innermost loop that moves the tensor is one of these. Where it has one iteration only, others may leave
  // something.
  u64 if_moved_by(std::size_t m, Kind kind) const {
    const Slider& mover = slider_[m];
    const u64 words = mover.words[kind] * product(&Rank::least, kind, mover.rank, mover.rank);
    return words - std::min(words, stay_where_alone(1u << m, kind));
  }

  // Words that may stay where each of these dimensions has one iteration only, at most.
  u64 stay_where_alone(u32 alone, Kind kind) const {
    u64 most = 0;
    for (std::size_t k = 0; k < slider_count_; ++k)
      if (!contains(alone, k) && slider_[k].stays[kind] != 0)
        most = std::max(most, stays_more(k, alone, kind) + stay_where_alone(alone | 1u << k, kind));
    return most;
  }

  // Of those the words that the loops over slider k leave, and that are not counted yet.
  u64 stays_more(std::size_t k, u32 alone, Kind kind) const {
    const Slider& over = slider_[k];
    const bool one = std::popcount(alone) == 1;
    const Slider& m = slider_[at(std::countr_zero(alone))];
    if (one && m.are_again && over.are_again) {  // m's own stay is counted
      if (m.rank == over.rank)
        return (over.most_stay - std::min(over.most_stay, m.least_stay)) * std::min(m.alone[kind], over.again[kind]) *
               product(&Rank::most, kind, m.rank, m.rank);
      const u64 of_m = m.least_stay * rank_[at(over.rank)].shortest, of_k = over.most_stay * rank_[at(m.rank)].longest;
      return (of_k - std::min(of_k, of_m)) * m.alone[kind] * over.again[kind] *
             product(&Rank::most, kind, m.rank, over.rank);
    }
    u64 words = over.stays[kind];
    for (int r = 0; r < t_.rank_count; ++r) {
      u64 most = ~u64{0};
      for (const int j : bits(alone))
        if (slider_[at(j)].rank == r) most = std::min(most, slider_[at(j)].alone_words[kind]);
      if (r == over.rank) words = std::min(words, most);
    }
    for (int r = 0; r < t_.rank_count; ++r) {
      if (r == over.rank) continue;
      u64 most = rank_[at(r)].most[kind];
      for (const int j : bits(alone))
        if (slider_[at(j)].rank == r) most = std::min(most, slider_[at(j)].alone_words[kind]);
      words *= most;
    }
    return words;
  }

  const KeptFlows& costs_;
  const Compiled& c_;
  const CompiledTensor& t_;
  const Flow& flow_;
  const Trail& trail_;
  const Reach& reach_;
  std::array<u8, kMaxDimensions> loops_{};  // over time, outside the tile
  const UnitRows placed_;                   // in tiles
  std::array<Units, kMaxDimensions> units_{};
  std::array<UnitRow, 2> met_;  // of the rank that is looked at: units along both dimensions that meet
  bool met_known_ = true;
  int dimension_a_ = 0, dimension_b_ = 0;
  bool without_short_a_ = false, without_short_b_ = false;
  std::array<Rank, kMaxRanks> rank_{};
  std::array<Slider, kMaxDimensions> slider_{};
  std::size_t slider_count_ = 0;
};

}  // namespace

TileByTile tile_by_tile(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach) {
  if (costs.compiled().tensor[flow.tensor].entangled || !trail.knows_tiles(flow.boundary)) return {};
  return TilesOfFlow(costs, flow, trail, reach).words();
}

}  // namespace heliolite

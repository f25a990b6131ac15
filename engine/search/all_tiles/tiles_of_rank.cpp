#include "engine/search/all_tiles/tiles_of_rank.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "engine/model/temporal_traffic.h"

namespace heliolite {
namespace {

constexpr u64 kMostWork = 200'000;  // of one question

// Sums at a moment, when of all units along a the first x work, and along b the first y: a unit stands before those
// further along an outer fan-out.
u64 sums_of_first(std::span<const PlaceRow> rows, u64 x, u64 y) {
  if (x == 0 || y == 0) return 0;
  if (x == 1 || y == 1) return std::max(x, y);
  const PlaceRow& row = rows.back();
  if (rows.size() == 1)
    return row.step_a == 0 || row.step_b == 0 ? x + y - 1 : distinct_sums(row.step_a, x, row.step_b, y);
  const std::span<const PlaceRow> inside = rows.first(rows.size() - 1);
  u64 all_a = 1, all_b = 1;
  for (const PlaceRow& r : inside) all_a *= r.units_a, all_b *= r.units_b;
  // Groups of units inside: full ones, and one of those that are left. Of groups a and b a + b - 1 pairs are one after
  // the other.
  const u64 full_a = x / all_a, left_a = x % all_a, full_b = y / all_b, left_b = y % all_b;
  const u64 of_both = sums_of_first(inside, left_a, left_b);
  if (full_a == 0) return full_b * sums_of_first(inside, left_a, all_b) + of_both;
  if (full_b == 0) return full_a * sums_of_first(inside, all_a, left_b) + of_both;
  const u64 of_full = sums_of_first(inside, all_a, all_b);
  const u64 by_steps = row.step_a == 0 || row.step_b == 0 ? 0 : distinct_sums(row.step_a, full_a, row.step_b, full_b);
  return std::max(by_steps * of_full,
                  (full_a + full_b - 1) * of_full + of_both +
                      std::max(sums_of_first(inside, left_a, all_b), sums_of_first(inside, all_a, left_b)));
}

// The least sum of cost(part) over parts of `size`, none more than `most`.
template <class CostOf>
u64 cheapest_parts(u64 size, u64 most, CostOf&& cost) {
  std::vector<u64> least(size + 1, ~u64{0});
  least[0] = 0;
  for (u64 n = 1; n <= size; ++n)
    for (u64 part = 1; part <= std::min(n, most); ++part) least[n] = std::min(least[n], least[n - part] + cost(part));
  return least[size];
}

// Units that work at a moment share out each dimension's elements: parts of them, none larger than there are units.
// Each part of a meets each of b.
u64 least_over_moments(u64 size_a, u64 size_b, std::span<const PlaceRow> rows) {
  u64 units_a = 1, units_b = 1;
  for (const PlaceRow& row : rows) units_a *= row.units_a, units_b *= row.units_b;
  units_a = std::min(units_a, size_a), units_b = std::min(units_b, size_b);
  if (units_a * size_a > kMostWork || units_b * size_b > kMostWork ||
      units_a * (units_b + units_b * size_b) > kMostWork)
    return 0;
  std::vector<u64> with(units_a + 1);
  for (u64 x = 1; x <= units_a; ++x) {
    std::vector<u64> sums(units_b + 1);
    for (u64 y = 1; y <= units_b; ++y) sums[y] = sums_of_first(rows, x, y);
    with[x] = cheapest_parts(size_b, units_b, [&](u64 y) { return sums[y]; });
  }
  return cheapest_parts(size_a, units_a, [&](u64 x) { return with[x]; });
}

}  // namespace

u64 DistinctPlaces::least(u64 size_a, u64 size_b, const std::vector<PlaceRow>& rows) {
  std::vector<u64> key{size_a, size_b};
  std::vector<PlaceRow> used;
  for (const PlaceRow& row : rows) {
    if (row.units_a * row.units_b == 1) continue;
    used.push_back(row);
    if (row.units_a == 1 || row.units_b == 1) used.back().step_a = used.back().step_b = 0;
    for (const u64 n : {used.back().units_a, used.back().units_b, used.back().step_a, used.back().step_b})
      key.push_back(n);
  }
  if (used.empty()) return size_a * size_b;
  return known_(std::move(key), [&] { return least_over_moments(size_a, size_b, used); });
}

namespace {

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

// One of the two dimensions, in tiles of one size.
struct Side {
  const RankDimension& of;
  TiledDimension tiled;
  bool loops;      // over time outside the tile
  u64 step, span;  // at least, of these loops; and of the whole dimension

  Side(const RankDimension& dimension, u64 tile)
      : of(dimension),
        tiled(dimension.coefficient, dimension.size, tile),
        loops(tiled.tiles() > dimension.loops_above),
        step(dimension.coefficient * tile * dimension.units_around),
        span(dimension.coefficient * (dimension.size - 1)) {}

  // Tiles that begin a group of two or more of a unit, at most.
  u64 begins() const {
    const u64 tiles = tiled.tiles(), units = of.units_around;
    if (of.units != units) return (tiles + std::min(tiles, of.units)) / 2;
    const auto of_unit = [](u64 n) { return n < 2 ? 0 : ceil_div(n, u64{2}); };
    return tiles % units * of_unit(tiles / units + 1) + (units - tiles % units) * of_unit(tiles / units);
  }
};

// What is known of tiles of one size along each dimension.
class SizedTiles {
 public:
  SizedTiles(const RankTiling& rank, u64 tile_a, u64 tile_b)
      : rank_(rank), a_(rank.of[0], tile_a), b_(rank.of[1], tile_b) {
    const TiledDimension &a = a_.tiled, &b = b_.tiled;
    box_ = a.length() + b.length() + 1;
    if (a.rest != 0 && b.rest != 0 && a.length() - a.length_of_rest() == b.length() - b.length_of_rest()) {
      without_short_a_ = b.full * (a.length_of_rest() + b.length()) < a.full * (a.length() + b.length_of_rest());
      without_short_b_ = !without_short_a_;
    }
    all_ = {boxes(kFetched, 0, 0).words, rank.meets_known ? boxes(kShared, 0, 0).words : rank.different};
    common_ = a_.loops && b_.loops ? std::lcm(a_.step, b_.step) : 0;
    comes_back_ = common_ != 0 && common_ <= std::min(a_.span, b_.span);
  }

  // Steps:
  //  1. What all boxes have, each whole.
  //  2. What a loop over each dimension leaves of a box, and of which ones.
  void add_to(RankTiles& out) const {
    const TiledDimension &a = a_.tiled, &b = b_.tiled;
    out.longest = std::max(out.longest, box_);
    out.shortest = std::min(out.shortest, (a.rest == 0 ? a.length() : a.length_of_rest()) +
                                              (b.rest == 0 ? b.length() : b.length_of_rest()) + 1);
    for (const TileKind k : {kFetched, kShared}) {
      out.least[k] = std::min(out.least[k], all_[k]);
      out.most[k] = std::max(out.most[k], all_[k]);
    }
    if (a_.loops) look_at(0, a_, b_, out.over[0]);
    if (b_.loops) look_at(1, b_, a_, out.over[1]);
  }

 private:
  // Boxes of the rank at the moments from the t-th on of one dimension.
  Boxes boxes(TileKind kind, std::size_t side, u64 t) const {
    const u64 n = t * rank_.of[side].units_around;
    const auto of = [&](const TiledDimension& a, const TiledDimension& b) {
      if (kind == kFetched || !rank_.meets_known) return all_boxes(a, b);
      return boxes_asked_for(a, rank_.of[0].met, b, rank_.of[1].met, without_short_a_, without_short_b_);
    };
    const Boxes all = of(a_.tiled, b_.tiled);
    if (n == 0) return all;
    const Boxes before = side == 0 ? of(a_.tiled.first(n), b_.tiled) : of(a_.tiled, b_.tiled.first(n));
    return {all.number - before.number, all.words - before.words};
  }

  // A loop over `mine`, the first that moves the tensor.
  void look_at(std::size_t side, const Side& mine, const Side& other, RankSlider& out) const {
    out.any = true;
    const u64 stay = box_ - std::min(box_, mine.step);
    out.most_stay = std::max(out.most_stay, stay);
    out.least_stay = std::min(out.least_stay, stay);
    // Whether a step of the other dimension may move the tile as far as one of this does.
    const u64 far = common_ == 0 ? 0 : ceil_div(2 * mine.step, common_) * common_;
    const bool first_whole = !comes_back_ && (common_ == 0 || far > std::min(other.span, mine.span + mine.step));
    OfKind back{};  // boxes that may be where the tile was
    if (comes_back_) {
      const u64 others = other.tiled.tiles();
      back = {mine.begins() * (others - std::min(others, other.of.units_around)), boxes(kShared, 1 - side, 1).number};
    }
    // Less stays of boxes that are shorter along the other dimension.
    const u64 short_box = mine.tiled.length() + other.tiled.length_of_rest() + 1;
    const u64 less = other.tiled.rest == 0 ? 0 : stay - (short_box - std::min(short_box, mine.step));
    for (const TileKind k : {kFetched, kShared}) {
      const u64 again = boxes(k, side, first_whole ? 1 : 0).number;
      const u64 of_short = k == kFetched ? again / other.tiled.tiles() * less : 0;
      const u64 stays = stay * again - of_short + (box_ - stay) * back[k];
      out.again[k] = std::max(out.again[k], again);
      out.stays[k] = std::max(out.stays[k], stays);
      const bool known = k == kFetched || rank_.meets_known;
      const u64 words = known ? std::max(rank_.different, all_[k] - std::min(all_[k], stays)) : rank_.different;
      out.words[k] = std::min(out.words[k], words);
    }
    add_alone(side, mine, other, first_whole, out);
  }

  // Boxes of units with one tile, and last ones of units with several.
  void add_alone(std::size_t side, const Side& mine, const Side& other, bool first_whole, RankSlider& out) const {
    const u64 tiles = mine.tiled.tiles(), units = mine.of.units_around, others = other.tiled.tiles();
    const bool apart = mine.of.units != units;  // in fan-outs further out
    out.are_again &= first_whole && tiles >= 2 * units && !apart;
    u64 alone = 0, moment = 0;
    if (apart) {
      alone = std::min(tiles, mine.of.units);
    } else if (tiles < 2 * units) {
      alone = 2 * units - tiles;
    } else if (tiles > 2 * units) {
      moment = ceil_div(tiles, units) - (tiles % units == 0 ? 1 : 2);
      alone = std::min(units, tiles - 2 * units);
    }
    if (alone == 0) return;
    const OfKind number{alone * others, boxes(kShared, side, moment).number};
    const OfKind words{alone * (others * (mine.tiled.length() + 1) + other.tiled.all_lengths()),
                       number[kShared] * box_};
    for (const TileKind k : {kFetched, kShared}) {
      out.alone[k] = std::max(out.alone[k], number[k]);
      out.alone_words[k] = std::max(out.alone_words[k], words[k]);
    }
  }

  const RankTiling& rank_;
  const Side a_, b_;
  u64 box_ = 0;
  bool without_short_a_ = false, without_short_b_ = false;
  OfKind all_{};             // words
  u64 common_ = 0;           // the least common multiple of steps over both dimensions; 0: not both have loops
  bool comes_back_ = false;  // steps over both dimensions may bring a tile back to where it was
};

}  // namespace

u64 words_of_tiles(u64 coefficient, u64 size, u64 tile) {
  return all_boxes({coefficient, size, tile}, {1, 1, 1}).words;
}

RankTiles TilesOfRanks::operator()(const RankTiling& rank) {
  const RankDimension &a = rank.of[0], &b = rank.of[1];
  std::array<u64, 20> key{rank.different, rank.meets_known};
  auto next = key.begin() + 2;
  for (const RankDimension& d : rank.of)
    for (const u64 number : {d.coefficient, d.size, d.least_tile, d.most_tile, d.units_around, d.units, d.loops_above,
                             d.met.units, d.met.inside})
      *next++ = number;
  return known_(key, [&] {
    RankTiles out;
    for (u64 x = a.least_tile; x <= a.most_tile; ++x)
      for (u64 y = b.least_tile; y <= b.most_tile; ++y) SizedTiles(rank, x, y).add_to(out);
    return out;
  });
}

}  // namespace heliolite

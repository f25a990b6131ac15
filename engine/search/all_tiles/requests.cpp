// How many words of a sliding tensor the compute units ask for (docs/rules/any_factors.md, item 2).
#include "engine/search/all_tiles/sliding_words.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace heliolite {
namespace {

constexpr double kRootRounded = 1 + 1e-9;  // up

class AllRequests : PlacedFlow {
 public:
  explicit AllRequests(const PlacedFlow& placed) : PlacedFlow(placed), row_(unit_rows(flow, trail, 0)) {
    placed_.fill(1);
    for (int i = flow.boundary; i <= flow.outer; ++i)
      for (int d = 0; d < c.dimension_count; ++d) placed_[d] *= row_[i][d].units;
  }

  // Steps:
  //  1. What the units that stand ask for, rank by rank.
  //  2. With units to come: of the fan-outs that are whole the same; of each other, as many units at most ask for one
  //     word as stand along the ranks' first dimensions, or along their second ones.
  //  3. By the numbers of units only: their places are sums of as many numbers as there are fan-outs, and A places
  //     along one dimension with B along another make A + B - 1 different sums at least.
  Requests all() {
    const int whole = last_whole();
    Requests out;
    out.placed = words(std::min<int>(reach.level, flow.outer));
    if (exact_ && units_to_come(t.sharing_any) == 1) return {out.placed, out.placed};
    if (costs.split(t.sharing_any) || units_to_come(t.sharing_any) == 1) {
      out.at_least = std::max(flow.touched, words_of_known(whole));
      return out;
    }
    pair_dimensions();
    double by_place = static_cast<double>(others_);
    for (int i = whole + 1; i <= flow.outer; ++i) by_place *= requesters_at(i);
    const double by_number =
        static_cast<double>(others_) * most_multicast(std::span(ranks_).first(rank_count_), together(fewer_),
                                                      together(more_), together(fewer_ | more_));
    out.at_least = std::max({flow.touched, static_cast<u64>(static_cast<double>(words(whole)) / by_place),
                             static_cast<u64>(static_cast<double>(points(t.indexing)) / by_number)});
    return out;
  }

  // Units that ask together, placed or to come, those of each fan-out by themselves.
  u64 requesters() {
    if (t.entangled) {
      u64 placed = 1;
      for (const int d : bits(t.indexing)) placed *= placed_[d];
      return placed * units_to_come(flow.multicast);
    }
    const int whole = last_whole();
    if (costs.split(t.sharing_any)) {
      u64 units = 1;
      for (int r = 0; r < t.rank_count; ++r)
        for (int i = flow.boundary; i <= flow.outer && t.sharing[r] != 0; ++i)
          units *= requesters_of_split(i, t.sharing[r]);
      return units;
    }
    pair_dimensions();
    double units = static_cast<double>(others_);
    for (int i = flow.boundary; i <= whole; ++i)
      for (int r = 0; r < t.rank_count; ++r)
        if (std::popcount(t.sharing[r]) == 2) units *= static_cast<double>(multicast(i, t.sharing[r]));
    for (int i = whole + 1; i <= flow.outer; ++i) units *= requesters_at(i);
    return static_cast<u64>(units);
  }

 private:
  // Where it is known how many units will stand along each dimension: of each rank the best of all bounds.
  u64 words_of_known(int whole) {
    u64 n = points(static_cast<DimensionMask>(t.indexing & ~t.sharing_any));
    for (int r = 0; r < t.rank_count; ++r) {
      const DimensionMask sharing = t.sharing[r];
      if (sharing == 0) continue;
      u64 together = 1;
      for (int i = whole + 1; i <= flow.outer; ++i) together *= requesters_of_split(i, sharing);
      u64 least = share(words(sharing, whole), together);
      if (std::popcount(sharing) == 2) {
        const int a = std::countr_zero(sharing), b = std::bit_width(sharing) - 1;
        least = std::max({least, by_moments(a, b), by_moments(b, a), by_places(a, b)});
      }
      n *= least;
    }
    return n;
  }
  // At a moment A and B places of dimensions a and b work, and where the B leave q different rests by a step of a, they
  // ask for q (A - 1) + B words at least. Over all moments of both: of A at most at a time, M moments see all A', and
  // the q add up to all rests that B' elements may leave, and to one a moment: q (A' - M) + M B'.
  u64 by_moments(int a, int b) const {
    const u64 all_a = c.size[a], all_b = c.size[b], moments = ceil_div(all_a, along(a));
    const u64 rests = std::max(ceil_div(all_b, alike_by_step(c, t, a, b)), ceil_div(all_b, along(b)));
    return rests * (all_a - moments) + moments * all_b;
  }
  // By the places of each fan-out.
  u64 by_places(int a, int b) const {
    std::vector<PlaceRow> rows;
    for (int i = flow.boundary; i <= flow.outer; ++i) {
      const UnitRow row_a = known_row(i, a), row_b = known_row(i, b);
      rows.push_back({row_a.units, row_b.units, coefficient(a) * row_a.inside, coefficient(b) * row_b.inside});
    }
    return costs.distinct_places().least(c.size[a], c.size[b], rows);
  }
  // Units that stand and are to come; where loops over time may come in between it is not known how far apart.
  UnitRow known_row(int level, int d) const {
    UnitRow out = row_[level][d];
    const u64 left = costs.known_units_left(trail, reach, level, d);
    if (left == 1) return out;
    if (out.units == 1) out.inside = level == reach.level ? trail.of(d).tile : 0;
    out.units *= left;
    return out;
  }
  // Units of a fan-out, placed and to come, that ask for one word of a rank at most.
  u64 requesters_of_split(int level, DimensionMask sharing) const {
    return along_all_but_one(sharing, [&](int d) {
      const u64 placed = row_[level][d].units;
      if (level <= last_whole()) return placed;
      return placed * costs.units_to_come(trail, reach_of(level), level, dimension_bit(d));
    });
  }

  // Where the loops of a fan-out that is not whole begin.
  Reach reach_of(int level) const { return level == reach.level ? reach : Reach{level - 1, 1, 1}; }

  // The outermost fan-out up to the outer level's that has no room for more units.
  int last_whole() const {
    if (reach.level > flow.outer) return flow.outer;
    return !reach.has_room() ? reach.level : reach.level - 1;
  }

  // Each rank that two dimensions share has one on either side; fewer units may stand along those of the first.
  void pair_dimensions() {
    double first = 1, second = 1;
    for (int r = 0; r < t.rank_count; ++r) {
      const DimensionMask sharing = t.sharing[r];
      if (sharing == 0) continue;
      if (std::popcount(sharing) != 2) {
        others_ *= along_all_but_one(sharing, [&](int d) { return along(d); });
        continue;
      }
      const int a = std::countr_zero(sharing), b = std::bit_width(sharing) - 1;
      ranks_[rank_count_++] = {along(a), along(b)};
      fewer_ |= dimension_bit(a), more_ |= dimension_bit(b);
      first *= static_cast<double>(along(a)), second *= static_cast<double>(along(b));
    }
    if (first <= second) return;
    std::swap(fewer_, more_);
    for (MulticastRank& rank : ranks_) std::swap(rank.a, rank.b);
  }

  // The product of units(d) over these dimensions, without the largest.
  template <class Units>
  static u64 along_all_but_one(DimensionMask dimensions, Units&& units) {
    u64 product = 1, longest = 1;
    for (const int d : bits(dimensions)) product *= units(d), longest = std::max<u64>(longest, units(d));
    return product / longest;
  }

  // Units of a fan-out that is not whole which ask for one word, at most.
  double requesters_at(int level) const {
    const auto units = [&](u32 dimensions) {
      u64 n = costs.units_to_come(trail, reach_of(level), level, static_cast<DimensionMask>(dimensions));
      if (level == reach.level)
        for (const int d : bits(dimensions)) n *= row_[level][d].units;
      return static_cast<double>(n);
    };
    return std::min({units(fewer_), units(more_), std::sqrt(units(fewer_ | more_)) * kRootRounded});
  }

  // Units at most, placed and to come.
  double together(u32 dimensions) const {
    u64 placed = 1;
    for (const int d : bits(dimensions)) placed *= placed_[d];
    return static_cast<double>(placed) * static_cast<double>(units_to_come(static_cast<DimensionMask>(dimensions)));
  }
  // Units along one dimension that work together, at most.
  u64 along(int d) const { return std::min<u64>(c.size[d], placed_[d] * units_to_come(dimension_bit(d))); }

  // Words that leave the fan-outs up to that of level `last`.
  u64 words(int last) {
    u64 n = points(static_cast<DimensionMask>(t.indexing & ~t.sharing_any));
    for (int r = 0; r < t.rank_count; ++r)
      if (t.sharing[r] != 0) n *= words(t.sharing[r], last);
    return n;
  }

  // Points of the iteration space along these dimensions.
  u64 points(DimensionMask along) const {
    u64 n = 1;
    for (const int d : bits(along)) n *= c.size[d];
    return n;
  }
  static u64 share(u64 words, u64 units) { return (words - 1) / units + 1; }

  // Words that leave the fan-outs along a rank: those of the fan-out where most units meet, word by word; of each
  // other, all divided by the most that can ask for one.
  u64 words(DimensionMask sharing, int last) {
    const int a = std::countr_zero(sharing), b = std::bit_width(sharing) - 1;
    const bool two = std::popcount(sharing) == 2;
    int best = -1;
    u64 most = 1, others = 1;
    for (int i = 0; i <= last; ++i) {
      const u64 meet = multicast(i, sharing);
      others *= meet;
      if (two && meet > most) best = i, most = meet;
    }
    exact_ &= two && others == most;
    if (best >= 0)
      return share(asked_together(row_[best][a], coefficient(a), c.size[a], row_[best][b], coefficient(b), c.size[b]),
                   others / most);
    return share(points(sharing), others);
  }

  u64 units_to_come(DimensionMask along) const { return costs.units_to_come(trail, reach, flow.outer, along); }

  // Units of a fan-out at most that ask for one word of a rank: along all its dimensions but one.
  u64 multicast(int level, DimensionMask sharing) const {
    return along_all_but_one(sharing, [&](int d) { return row_[level][d].units; });
  }

  const UnitRows row_;
  std::array<u64, kMaxDimensions> placed_;  // units
  bool exact_ = true;                       // the words that words() has counted
  std::array<MulticastRank, kMaxRanks> ranks_;
  std::size_t rank_count_ = 0;
  u32 fewer_ = 0, more_ = 0;  // dimensions of `ranks_`
  u64 others_ = 1;            // units that meet along ranks of more dimensions
};

}  // namespace

UnitRows unit_rows(const Flow& flow, const Trail& trail, int first) {
  UnitRows out{};
  std::array<u64, kMaxDimensions> inside;
  inside.fill(1);
  for (int l = first; l < trail.size(); ++l) {
    const TrailLoop& loop = trail[l];
    if (loop.is_spatial() && loop.level >= flow.boundary && loop.level <= flow.outer) {
      UnitRow& row = out[loop.level][loop.dimension];
      if (row.units == 1) row.inside = inside[loop.dimension];
      row.units *= loop.end;
    }
    inside[loop.dimension] *= loop.end;
  }
  return out;
}

u64 units_that_meet(const PlacedFlow& flow) { return AllRequests(flow).requesters(); }

Requests requests(const PlacedFlow& flow) { return AllRequests(flow).all(); }

}  // namespace heliolite

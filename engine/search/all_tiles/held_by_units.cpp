// Words of a sliding tensor that units hold, each its own (docs/rules/any_factors.md, item 4).
#include "engine/search/all_tiles/sliding_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/search/all_tiles/flows.h"

namespace heliolite {
namespace {

constexpr double kRoundedUp = 1 + 1e-9;

class MostMeeting {
 public:
  explicit MostMeeting(std::span<const MeetingRank> ranks) : ranks_(ranks) {}

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
        out *= meeting(a_[k], static_cast<double>(ranks_[k].b));
        units /= static_cast<double>(ranks_[k].b);
      }
      if (again) continue;
      for (std::size_t k = 0; k < ranks_.size(); ++k)
        if (!full[k] && a_[k] > 1) out *= meeting(a_[k], m * (a_[k] - 1));
    }
    return out;
  }
  static double meeting(double a, double b) { return a * b / (a + b - 1); }

  std::span<const MeetingRank> ranks_;
  std::array<double, kMaxRanks> a_{};
};

}  // namespace

double most_meeting(std::span<const MeetingRank> ranks, double along_a, double along_b, double together) {
  double out = 1;
  std::array<MeetingRank, kMaxRanks> listed;
  std::size_t count = 0;
  for (const MeetingRank& rank : ranks)
    if (rank.a > kMostListed) out *= static_cast<double>(rank.a);
    else if (rank.a > 1) listed[count++] = rank;
  return out * MostMeeting(std::span(listed).first(count)).from(0, along_a, along_b, together) * kRoundedUp;
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

}  // namespace heliolite

#pragma once
// The ways to write each dimension as factors of the places of a mapspace, walked and counted one place at a time, so
// that a search can enumerate them or draw one uniformly; and the mappings that are made of them.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/model/mapping.h"
#include "engine/space/divisors.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// Places (docs/glossary.md), innermost first: of each level the fan-out below it, then its temporal loops.
inline constexpr int kMaxPlaces = 2 * kMaxLevels;

// The number of a place, its level, and whether it is a fan-out.
constexpr int place_of(int level, bool spatial) { return 2 * level + (spatial ? 0 : 1); }
constexpr int place_level(int place) { return place / 2; }
constexpr bool is_spatial_place(int place) { return place % 2 == 0; }

// What a dimension has at a place: along X and Y of a fan-out, or x = iterations of its temporal loop.
struct PlaceFactor {
  u32 x = 1, y = 1;
};

// [place][dimension]: the factors of a mapping.
using PlaceFactors = std::array<std::array<PlaceFactor, kMaxDimensions>, kMaxPlaces>;

// Choices of a dimension's factor at a place that leave the same: any x in [first, last] with this y leaves `left`
// iterations for the places outside.
struct FactorRun {
  u32 first, last, y, left;
};

// Walks and counts the splits of each dimension.
class Splits {
 public:
  // The mapspace must outlive this object. With `imperfect` a loop may have any number of iterations up to what is
  // left, and the rest is rounded up (imperfect factors, docs/cost_model.md); otherwise only divisors of what is left.
  Splits(const Mapspace& space, bool imperfect);

  int place_count() const { return 2 * space_.level_count(); }
  const Mapspace& space() const { return space_; }

  // In how many ways `left` iterations of dimension d can be given to place p and the places outside it. That
  // dimensions share the room of a fan-out is not looked at.
  u128 ways(int d, int p, u32 left) const {
    const auto& mine = dimension_[d];
    return p == place_count() ? u128{left == 1} : mine.ways[p][mine.index(left)];
  }

  // Calls visit(run) for each run of choices of dimension d at place p, with `left` iterations to give, that can be
  // completed; in ascending order. A visitor that returns false ends the walk, which then returns false.
  template <class Visit>
  bool for_each_run(int d, int p, u32 left, Visit&& visit) const {
    const auto possible = [&](const FactorRun& run) { return ways(d, p + 1, run.left) == 0 || visit(run); };
    return for_each_choice(d, p, left, possible);
  }

  // Visits all runs of choices, whether they can be completed or not.
  template <class Visit>
  bool for_each_choice(int d, int p, u32 left, Visit&& visit) const {
    const LevelSpace& level = space_.levels[place_level(p)];
    return is_spatial_place(p) ? spatial_runs(level.spatial, d, left, visit)
                               : temporal_runs(level.temporal.factor[d], d, left, visit);
  }

 private:
  struct OfDimension {
    DivisorTable table;                   // divisors of the dimension's size
    std::vector<u32> lefts;               // what can remain of the dimension, ascending
    std::vector<std::vector<u128>> ways;  // [place][index of what is left]

    std::size_t index(u32 left) const { return at(std::lower_bound(lefts.begin(), lefts.end(), left) - lefts.begin()); }
  };

  static u32 after(u32 left, u32 factor) { return (left - 1) / factor + 1; }
  void count(int d);

  template <class Visit>
  bool temporal_runs(const FactorLimit& limit, int d, u32 left, Visit&& visit) const {
    if (!imperfect_) {
      for (u32 f : divisors_of(d, left))
        if (limit.allows(f) && !visit(FactorRun{f, f, 1, left / f})) return false;
      return true;
    }
    for (u32 first = 1, last = 1; first <= left; first = last + 1) {
      const u32 rest = after(left, first);
      last = rest == 1 ? left : (left - 1) / (rest - 1);
      const u64 low = std::max<u64>(first, limit.min), high = std::min<u64>(last, limit.max);
      if (low <= high && !visit(FactorRun{static_cast<u32>(low), static_cast<u32>(high), 1, rest})) return false;
    }
    return true;
  }

  template <class Visit>
  bool spatial_runs(const SpatialSpace& s, int d, u32 left, Visit&& visit) const {
    const u64 most_x = contains(s.allowed_x, d) ? s.fanout_x : 1;
    const u64 most_y = contains(s.allowed_y, d) ? s.fanout_y : 1;
    const FactorLimit& limit = s.factor[d];
    return along_axis(d, left, most_x, [&](u32 x, u32 beside) {
      const u64 most = space_.one_axis_per_dimension && x > 1 ? 1 : most_y;
      return along_axis(d, beside, most, [&](u32 y, u32 rest) {
        return !limit.allows(u64{x} * y) || visit(FactorRun{x, x, y, rest});
      });
    });
  }

  // Calls take(factor, rest) for each factor of at most `most`.
  template <class Take>
  bool along_axis(int d, u32 left, u64 most, Take&& take) const {
    if (imperfect_) {
      for (u32 f = 1; f <= left && f <= most; ++f)
        if (!take(f, after(left, f))) return false;
      return true;
    }
    for (u32 f : divisors_of(d, left)) {
      if (f > most) break;
      if (!take(f, left / f)) return false;
    }
    return true;
  }

  std::span<const u32> divisors_of(int d, u32 n) const { return dimension_[d].table.of(n); }

  const Mapspace& space_;
  bool imperfect_;
  std::vector<OfDimension> dimension_;
};

// Makes a mapping of factors, loop orders and keep choices.

// The temporal loops of each level; loops of one iteration may be among them.
struct LevelOrders {
  std::array<std::array<u8, kMaxDimensions>, kMaxLevels> loop{};  // [level]: dimensions, innermost first
  std::array<u8, kMaxLevels> count{};                             // [level]: number of loops
};

// Writes mappings of one mapspace, which must outlive it.
class NestWriter {
 public:
  explicit NestWriter(const Mapspace& space);

  // Writes the loops of a tiling into `out` and leaves its keep choices as they are. Spatial loops stand in declaration
  // order, outside those that the machine puts innermost: their order changes nothing but the hops of multicasts, and
  // Timeloop's files fix it.
  void write(Mapping& out, const PlaceFactors& tiling, const LevelOrders& orders) const;

  // Writes the level's loops of more than one iteration into `orders`: innermost those that the machine orders, the
  // others in declaration order. Returns how many the machine orders.
  std::size_t present(const PlaceFactors& tiling, int level, LevelOrders& orders) const;

  // Whether the fan-outs have room for the tiling's spatial factors.
  bool fits_fanouts(const PlaceFactors& tiling) const;

 private:
  const Mapspace& space_;
  std::vector<std::vector<u8>> spatial_order_, temporal_order_;  // [level]: dimensions of size above 1
};

}  // namespace heliolite

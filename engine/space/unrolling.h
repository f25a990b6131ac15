#pragma once
// Spatial unrollings of one fan-out: which dimensions go along X and Y, by how much. Rules S1 a-c, each with a
// switch and a counter (docs/rules/unrolling.md); without them: the complete set.
#include <array>
#include <span>
#include <type_traits>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/space/divisors.h"
#include "engine/space/footprint.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// The spatial factors of one fan-out.
struct Unrolling {
  Extents x = unit_extents();  // factors along X by dimension
  Extents y = unit_extents();  // and along Y

  // Instances along both axes that dimension d is spread over.
  u32 factor(int d) const { return x[d] * y[d]; }
  auto operator<=>(const Unrolling&) const = default;
};

// What may be unrolled over one fan-out.
struct UnrollingSpace {
  std::array<const DivisorTable*, kMaxDimensions> divisors{};  // [dimension]: of its size
  Extents left = unit_extents();                               // [dimension]: iterations left, a divisor of its size
  SpatialSpace fanout;
  bool one_axis_per_dimension = false;
  u8 dimension_count = 0;
  std::array<DimensionMask, kMaxTensors> indexing{};  // [tensor]: dimensions that index it, for the rules
  u8 tensor_count = 0;
};

// The fan-out below `level`. `tables[d]`: the divisors of dimension d's size; they must outlive the space.
inline UnrollingSpace make_unrolling_space(std::span<const DivisorTable> tables, const Extents& left,
                                           const Mapspace& mapspace, int level, const Workload& workload) {
  UnrollingSpace space;
  space.left = left;
  space.fanout = mapspace.levels[level].spatial;
  space.one_axis_per_dimension = mapspace.one_axis_per_dimension;
  space.dimension_count = mapspace.dimension_count;
  space.tensor_count = mapspace.tensor_count;
  for (int d = 0; d < space.dimension_count; ++d) space.divisors[d] = &tables[d];
  for (int v = 0; v < space.tensor_count; ++v) space.indexing[v] = workload.indexing(v);
  return space;
}

// Which rules apply. A group is the dimensions that index one tensor.
struct UnrollingRules {
  bool full = true;      // S1a: a group that can fill the fan-out does
  bool maximal = true;   // S1b: a group that cannot gives only what no dimension can enlarge
  bool indexing = true;  // S1c: only one group's dimensions; others only to fill the fan-out up, and by less
};

// Numbers of what a walk did.
struct UnrollingCounts {
  u64 unrollings = 0;    // given to the visitor
  u64 not_full = 0;      // cut by S1a: one for each group that gives full unrollings only
  u64 not_maximal = 0;   // cut by S1b
  u64 not_indexing = 0;  // cut by S1c: mixed unrollings in which the indexing dimensions do not prevail
};

inline DimensionMask all_dimensions(const UnrollingSpace& space) {
  return static_cast<DimensionMask>((1u << space.dimension_count) - 1);
}

namespace detail {

// Every unrolling of the allowed dimensions; `exact`: only those that fill both axes.
template <class Leaf>
class UnrollingWalk {
 public:
  UnrollingWalk(const UnrollingSpace& space, DimensionMask allowed, bool exact, Leaf& leaf)
      : space_(space), allowed_(allowed), exact_(exact), leaf_(leaf) {
    most_x_[space.dimension_count] = most_y_[space.dimension_count] = 1;
    for (int d = space.dimension_count - 1; d >= 0; --d) {
      most_x_[d] = most_x_[d + 1] * (on(space.fanout.allowed_x, d) ? space.left[d] : 1);
      most_y_[d] = most_y_[d + 1] * (on(space.fanout.allowed_y, d) ? space.left[d] : 1);
    }
  }

  bool run() { return walk(0, space_.fanout.fanout_x, space_.fanout.fanout_y); }

 private:
  bool on(DimensionMask mask, int d) const { return (mask & allowed_ & (1u << d)) != 0; }

  // `room_x`: fan-out / product so far, exact when exact_. True: go on.
  bool walk(int d, u64 room_x, u64 room_y) {
    if (exact_ && (most_x_[d] % room_x != 0 || most_y_[d] % room_y != 0)) return true;
    if (d == space_.dimension_count) {
      return leaf_(static_cast<const Unrolling&>(u_));
    }
    const FactorLimit& limit = space_.fanout.factor[d];
    const bool x_open = on(space_.fanout.allowed_x, d), y_open = on(space_.fanout.allowed_y, d);
    for (u32 x : space_.divisors[d]->of(space_.left[d])) {
      if (x > room_x || x > limit.max || (x > 1 && !x_open)) break;
      if (exact_ && room_x % x != 0) continue;
      u_.x[d] = x;
      for (u32 y : space_.divisors[d]->of(space_.left[d] / x)) {
        if (y > room_y || u64{x} * y > limit.max || (y > 1 && (!y_open || (space_.one_axis_per_dimension && x > 1))))
          break;
        if (u64{x} * y < limit.min || (exact_ && room_y % y != 0)) continue;
        u_.y[d] = y;
        if (!walk(d + 1, room_x / x, room_y / y)) return false;
      }
    }
    u_.x[d] = u_.y[d] = 1;
    return true;
  }

  const UnrollingSpace& space_;
  DimensionMask allowed_;
  bool exact_;
  Leaf& leaf_;
  std::array<u64, kMaxDimensions + 1> most_x_{}, most_y_{};  // what dimensions d.. have left; at most kMaxMacs
  Unrolling u_;
};

template <class Leaf>
bool walk_unrollings(const UnrollingSpace& space, DimensionMask allowed, bool exact, Leaf&& leaf) {
  return UnrollingWalk<std::remove_reference_t<Leaf>>(space, allowed, exact, leaf).run();
}

}  // namespace detail

// Whether the dimensions of `group` alone can use every instance of the fan-out.
bool can_fill(const UnrollingSpace& space, DimensionMask group);

// Whether no dimension can take a larger factor along an axis, all other factors staying as they are.
bool cannot_grow(const UnrollingSpace& space, const Unrolling& unrolling);

// The groups, each once: the dimensions that index a tensor and those that the machine forces to be unrolled. With S1c
// off one group of all dimensions.
struct UnrollingGroups {
  std::array<DimensionMask, kMaxTensors> group{};  // [0, count)
  std::array<bool, kMaxTensors> fills{};           // [group]: can_fill(); asked only when S1a is on
  u8 count = 0;
};
UnrollingGroups unrolling_groups(const UnrollingSpace& space, UnrollingRules rules);

namespace detail {

// Applies the rules to the walks; see for_each_unrolling().
template <class Visit>
class UnrollingFilter {
 public:
  UnrollingFilter(const UnrollingSpace& space, UnrollingRules rules, Visit& visit)
      : space_(space), rules_(rules), visit_(visit), groups_(unrolling_groups(space, rules)) {}

  UnrollingCounts run() {
    // Step 1. Unrollings of every instance, in which some group prevails.
    const auto full = [&](const Unrolling& u) {
      if (prevails(u)) return give(u);
      ++counts_.not_indexing;
      return true;
    };
    if (!walk_unrollings(space_, all_dimensions(space_), true, full)) return counts_;
    // Step 2. Those of one group that leave instances idle.
    for (int g = 0; g < groups_.count; ++g) {
      if (rules_.full && groups_.fills[g]) {
        ++counts_.not_full;
      } else if (!walk_unrollings(space_, groups_.group[g], false, [&](const Unrolling& u) { return idle(u, g); })) {
        return counts_;
      }
    }
    // Step 3. No tensor has the dimensions that the machine wants together: any that cannot grow.
    if (counts_.unrollings == 0 && groups_.count > 0) {
      groups_.count = 0;
      walk_unrollings(space_, all_dimensions(space_), false, [&](const Unrolling& u) { return idle(u, 0); });
    }
    return counts_;
  }

 private:
  u64 product(const Unrolling& u, DimensionMask group) const {
    u64 product = 1;
    for (int d = 0; d < space_.dimension_count; ++d)
      if (contains(group, d)) product *= u.factor(d);
    return product;
  }
  u64 used(const Unrolling& u) const { return product(u, all_dimensions(space_)); }

  bool prevails(const Unrolling& u) const {
    const u64 all = used(u);
    for (int g = 0; g < groups_.count; ++g) {
      const u64 mine = product(u, groups_.group[g]);
      if (mine == all || mine > all / mine) return true;
    }
    return false;
  }

  bool idle(const Unrolling& u, int g) {
    const u64 all = used(u);
    if (groups_.count > 0 && all == space_.fanout.fanout()) return true;  // step 1 gave it
    for (int h = 0; h < g; ++h)                                           // an earlier group gave it
      if (!(rules_.full && groups_.fills[h]) && product(u, groups_.group[h]) == all) return true;
    if (rules_.maximal && !cannot_grow(space_, u)) {
      ++counts_.not_maximal;
      return true;
    }
    return give(u);
  }

  bool give(const Unrolling& u) {
    ++counts_.unrollings;
    if constexpr (std::is_same_v<std::invoke_result_t<Visit&, const Unrolling&>, bool>) {
      return visit_(u);
    } else {
      visit_(u);
      return true;
    }
  }

  const UnrollingSpace& space_;
  UnrollingRules rules_;
  Visit& visit_;
  UnrollingGroups groups_;
  UnrollingCounts counts_;
};

}  // namespace detail

// Calls visit(unrolling) once for each unrolling the rules leave, in a fixed order; at least once when the limits
// leave any. A visitor that returns bool stops with false. No allocation.
template <class Visit>
UnrollingCounts for_each_unrolling(const UnrollingSpace& space, UnrollingRules rules, Visit&& visit) {
  return detail::UnrollingFilter<std::remove_reference_t<Visit>>(space, rules, visit).run();
}

}  // namespace heliolite

#pragma once
// Counting unrollings of several dimensions that share the room of the same fan-outs, for mapspace_size().
#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <vector>

#include "engine/space/mapspace.h"

namespace heliolite {

using BigCount = boost::multiprecision::cpp_int;

// One axis of the fan-out below a level. `rooms`: the values that floor(fan-out / product of factors) can take,
// ascending; since floor(floor(X / a) / b) = floor(X / (a b)) the room is all a count needs to know.
struct Axis {
  int level = 0;
  bool y = false;  // Y; else X
  std::vector<u64> rooms;
};

// The axes of these levels on which some dimension may be unrolled; X before Y.
std::vector<Axis> axes_of(const Mapspace& mapspace, const std::vector<int>& levels);

// One way to unroll one dimension over the axes, and how often it can be completed.
struct AxisOption {
  std::vector<u32> factor;  // [axis]
  u32 ordered = 0;          // bit l: the dimension has a loop at level l, whose order counts
  BigCount ways;            // to complete it
};

// Sum, over one option of each dimension (choices[d]) that together fit the axes and make `least_units` units or more,
// of the product of their ways and of n! for the n loops in the order of each of the first `ordered_levels` levels.
// Absent when that would take more than about a second.
std::optional<BigCount> count_jointly(const std::vector<std::vector<AxisOption>>& choices,
                                      const std::vector<Axis>& axes, int ordered_levels, u64 least_units);

BigCount factorial(int n);

}  // namespace heliolite

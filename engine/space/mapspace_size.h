#pragma once
// Counts the mappings of a mapspace, exactly, without enumerating them: capacities aside, the choices are
// splits of the dimensions over levels and fan-outs, a loop order per level, and what each level keeps.
// Conventions and the comparison with published counts: docs/rules/mapspace_size.md.
#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <vector>

#include "engine/space/mapspace.h"

namespace heliolite {

// Counting unrollings of several dimensions that share the room of the same fan-outs, for mapspace_size().

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

struct MapspaceSize {
  std::vector<BigCount> splits;  // [dimension]: its perfect splits over all places, alone on every fan-out
  BigCount tilings;              // all dimensions together: the product of the splits that fit the fan-outs
  bool tilings_exact = true;     // false: the fan-outs are too many to count jointly, tilings = product of splits
  // [level]: legal uses of the fan-out below it alone; absent: not counted, too many.
  std::vector<std::optional<BigCount>> unrollings;
  std::vector<BigCount> orders;  // [level]: n! for the n loops it may have
  std::vector<BigCount> keeps;   // [level]: 2^(open tensors)
  BigCount mappings;             // tilings * orders * keeps
  // Different loop nests: a loop of one iteration is no loop and has no place in the order. Absent when counting
  // would take long (many levels, wide fan-outs).
  std::optional<BigCount> nests;
};

struct MapspaceSizeOptions {
  bool unit_loops = false;  // dimensions of size 1 take part in the orders (the convention of published counts)
};

// Counts the mapspace.
MapspaceSize mapspace_size(const Mapspace& mapspace, MapspaceSizeOptions options = {});

// How many compute units mappings of a mapspace can use: what a least parallelism asks for may be out of reach.

// No mapping uses more, whatever its factors.
u64 most_units(const Mapspace& mapspace);

// The most units that factors which divide the sizes can use; never above most_units(). None: there are too many
// unrollings to look at.
std::optional<u64> most_units_of_perfect_factors(const Mapspace& mapspace);

// "at least 15 of 16 compute units must be used", and which constraint says so.
std::string least_units_text(const Mapspace& mapspace);

}  // namespace heliolite

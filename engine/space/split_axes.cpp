#include "engine/space/split_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/space/reuse.h"

namespace heliolite {
namespace {

using MeantBy = std::function<DimensionMask(const std::string&)>;

// Dimensions of one iteration that `order` does not name, in the order in which the front end meets them.
std::vector<u8> unit_dimensions(const SpatialConstraints& constraint, std::span<const u8> order,
                                const Workload& workload, const MeantBy& meant_by) {
  std::vector<u8> units;
  const auto count = static_cast<u8>(workload.dimensions.size());
  const auto add = [&](DimensionMask mask) {
    for (u8 d = 0; d < count; ++d)
      if (contains(mask, d) && std::ranges::find(order, d) == order.end() && std::ranges::find(units, d) == units.end())
        units.push_back(d);
  };
  for (const FactorConstraint& factor : constraint.factors)
    if (factor.value == 1) add(meant_by(factor.dimension));
  if (constraint.allowed_x && constraint.allowed_y) {
    DimensionMask listed = 0;
    for (const auto* names : {&*constraint.allowed_x, &*constraint.allowed_y})
      for (const std::string& name : *names) listed = static_cast<DimensionMask>(listed | meant_by(name));
    add(static_cast<DimensionMask>(~listed));
  }
  add(static_cast<DimensionMask>(~non_unit_dimensions(workload)));
  return units;
}

}  // namespace

Result<SplitAxes> split_axes(const SpatialConstraints& constraint, std::span<const u8> order, bool unit_loops_first,
                             const Workload& workload, const MeantBy& meant_by) {
  const std::size_t split = at(constraint.split.value_or(0));
  std::vector<u8> loops;  // innermost first
  if (unit_loops_first) loops = unit_dimensions(constraint, order, workload, meant_by);
  std::ranges::reverse(loops);  // each is put before the ones that are there
  loops.insert(loops.end(), order.begin(), order.end());

  SplitAxes axes;
  std::vector<std::string> open;
  const auto count = static_cast<u8>(workload.dimensions.size());
  for (u8 d = 0; d < count; ++d) {
    const auto place = static_cast<std::size_t>(std::ranges::find(loops, d) - loops.begin());
    DimensionMask& axis = place < split ? axes.x : axes.y;
    axis = static_cast<DimensionMask>(axis | dimension_bit(d));
    if (place == loops.size() && workload.dimensions[d].size > 1) open.push_back(workload.dimensions[d].name);
  }
  if (split > loops.size() && split < workload.dimensions.size() && !open.empty())
    return Diagnostic{"", 0, "",
                      fmt::format("split = {}, but the permutation names {} of the {} dimensions: which of the others "
                                  "({}) go to X is open; name them",
                                  split, loops.size(), workload.dimensions.size(), join(open))};
  return axes;
}

}  // namespace heliolite

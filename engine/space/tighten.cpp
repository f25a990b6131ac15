#include "engine/space/tighten.h"

#include <fmt/format.h>

#include <vector>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// All places dimension d can have a factor: temporal and spatial, of every level.
std::vector<FactorLimit*> places(Mapspace& space, int d) {
  std::vector<FactorLimit*> out;
  for (LevelSpace& level : space.levels) {
    out.push_back(&level.spatial.factor[d]);
    out.push_back(&level.temporal.factor[d]);
  }
  return out;
}

// Where the machine constrains dimension d, for a message: "; GLB temporal 1..4, ...".
std::string limits_text(const Mapspace& space, int d) {
  std::string text;
  for (std::size_t l = 0; l < space.levels.size(); ++l) {
    const FactorLimit& t = space.levels[l].temporal.factor[d];
    const FactorLimit& s = space.levels[l].spatial.factor[d];
    text += fmt::format("; {} temporal {} to {}", space.level_names[l], t.min, t.max);
    if (space.levels[l].spatial.exists()) text += fmt::format(", spatial {} to {}", s.min, s.max);
  }
  return text;
}

// With m = product of the other minima, a factor f needs (f - 1) * m < size, or its last iteration is empty;
// and the product of all factors reaches the size. Both hold for imperfect factors too.
void tighten(Mapspace& space, int d, Diagnostics& errors) {
  const u64 size = space.size[d];
  const std::vector<FactorLimit*> limits = places(space, d);
  for (FactorLimit* one : limits) {
    u64 least = 1;
    for (const FactorLimit* other : limits)
      if (other != one) least = product_up_to(least, other->min, size);
    one->max = std::min(one->max, ceil_div(size, least));
  }
  for (FactorLimit* one : limits) {
    u64 most = 1;
    for (const FactorLimit* other : limits)
      if (other != one) most = product_up_to(most, other->max, size);
    one->min = std::max(one->min, ceil_div(size, most));
    if (one->min <= one->max) continue;
    return errors.push_back({"", 0, "",
                             fmt::format("the constraints leave no way to split dimension '{}': {}{}",
                                         space.dimension_names[d], dimension_text(space, d), limits_text(space, d))});
  }
}

void restrict_masks(const Mapspace& space, LevelSpace& level) {
  for (int d = 0; d < space.dimension_count; ++d) {
    if (level.temporal.factor[d].max > 1)
      level.temporal.allowed = static_cast<DimensionMask>(level.temporal.allowed | dimension_bit(d));
    if (level.spatial.factor[d].max > 1) continue;
    level.spatial.allowed_x = static_cast<DimensionMask>(level.spatial.allowed_x & ~dimension_bit(d));
    level.spatial.allowed_y = static_cast<DimensionMask>(level.spatial.allowed_y & ~dimension_bit(d));
  }
}

}  // namespace

std::string dimension_text(const Mapspace& space, int d) {
  return fmt::format("{} of workload '{}' has size {}", space.dimension_names[d], space.workload_name, space.size[d]);
}

Diagnostics tighten(Mapspace& space) {
  Diagnostics errors;
  for (int d = 0; d < space.dimension_count; ++d) tighten(space, d, errors);
  if (errors.empty())
    for (LevelSpace& level : space.levels) restrict_masks(space, level);
  return errors;
}

}  // namespace heliolite

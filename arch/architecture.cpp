#include "arch/architecture.h"

#include <algorithm>
#include <cmath>

namespace heliolite {

std::optional<u64> StorageLevel::capacity_words() const {
  if (!entries) return std::nullopt;
  if (multiple_buffering == 1) return entries;
  return static_cast<u64>(std::floor(static_cast<double>(*entries) / multiple_buffering));
}

double Architecture::area_um2() const {
  double total = beside_um2 + compute.area_um2 * static_cast<double>(compute.instances);
  for (const StorageLevel& level : levels) total += level.area_um2 * static_cast<double>(level.instances);
  return total;
}

// Timeloop compares the share in doubles: 7 of 10 units are 0.7 of them.
u64 Architecture::least_units() const {
  const auto all = static_cast<double>(compute.instances);
  auto units = static_cast<u64>(std::max(1.0, std::floor(min_parallelism * all)));
  while (units > 1 && static_cast<double>(units - 1) / all >= min_parallelism) --units;
  while (static_cast<double>(units) / all < min_parallelism) ++units;
  return units;
}

std::optional<std::size_t> find_unit(const Architecture& architecture, std::string_view wanted) {
  for (std::size_t unit = 0; unit < architecture.chains(); ++unit)
    if (architecture.chain(unit).compute.name == wanted) return unit;
  return std::nullopt;
}

std::optional<int> Architecture::find_level(std::string_view wanted) const {
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (levels[i].name == wanted) return static_cast<int>(i);
  return std::nullopt;
}

}  // namespace heliolite

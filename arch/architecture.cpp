#include "arch/architecture.h"

#include <cmath>

namespace heliolite {

std::optional<u64> StorageLevel::capacity_words() const {
  if (!entries) return std::nullopt;
  if (multiple_buffering == 1) return entries;
  return static_cast<u64>(std::floor(static_cast<double>(*entries) / multiple_buffering));
}

double Architecture::area_um2() const {
  double total = compute.area_um2 * static_cast<double>(compute.instances);
  for (const StorageLevel& level : levels) total += level.area_um2 * static_cast<double>(level.instances);
  return total;
}

std::optional<int> Architecture::find_level(std::string_view wanted) const {
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (levels[i].name == wanted) return static_cast<int>(i);
  return std::nullopt;
}

}  // namespace heliolite

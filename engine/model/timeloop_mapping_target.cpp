#include "engine/model/timeloop_mapping_target.h"

#include <algorithm>
#include <vector>

#include "engine/base/parse_number.h"
#include "engine/base/text.h"

namespace heliolite {

std::optional<MappingTarget> find_mapping_target(std::string_view target, bool is_spatial,
                                                 const Architecture& architecture) {
  const std::vector<StorageLevel>& levels = architecture.levels;
  const auto owns_fanout = [&](const StorageLevel& level) {
    const std::string& owner = level.fanout_name;
    return !owner.empty() && (target == owner || target == "inter_" + owner + "_spatial");
  };
  const auto fanout = std::ranges::find_if(levels, owns_fanout);
  const auto level = std::ranges::find(levels, target, &StorageLevel::name);
  if (fanout != levels.end() && (is_spatial || level == levels.end()))
    return MappingTarget{static_cast<std::size_t>(fanout - levels.begin()), true};
  if (level != levels.end()) return MappingTarget{static_cast<std::size_t>(level - levels.begin()), false};
  const std::optional<u64> number = parse_number<u64>(target);
  if (number && *number < levels.size()) return MappingTarget{static_cast<std::size_t>(*number), false};
  return std::nullopt;
}

std::string allowed_mapping_targets(std::string_view target, const Architecture& architecture) {
  std::vector<std::string> names;
  for (const StorageLevel& l : architecture.levels)
    if (!l.fanout_name.empty() && l.fanout_name != l.name) names.push_back(l.fanout_name);
  for (const StorageLevel& l : architecture.levels) names.push_back(l.name);
  return join(names, "or") + did_you_mean(target, names);
}

}  // namespace heliolite

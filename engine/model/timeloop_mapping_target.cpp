#include "engine/model/timeloop_mapping_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {

std::optional<MappingTarget> find_mapping_target(const YamlNode& target, bool is_spatial,
                                                 const Architecture& architecture, Diagnostics& errors) {
  const std::vector<StorageLevel>& levels = architecture.levels;
  const std::string& word = target.text();
  const auto owns_fanout = [&](const StorageLevel& level) {
    const std::string& owner = level.fanout_name;
    return !owner.empty() && (word == owner || word == "inter_" + owner + "_spatial");
  };
  const auto fanout = std::ranges::find_if(levels, owns_fanout);
  const auto level = std::ranges::find(levels, word, &StorageLevel::name);
  if (fanout != levels.end() && (is_spatial || level == levels.end()))
    return MappingTarget{static_cast<std::size_t>(fanout - levels.begin()), true};
  if (level != levels.end()) return MappingTarget{static_cast<std::size_t>(level - levels.begin()), false};

  const std::optional<i64> number = target.as_integer();
  if (number && *number >= 0 && *number < static_cast<i64>(levels.size())) return MappingTarget{at(*number), false};
  std::vector<std::string> names;
  for (const StorageLevel& l : levels)
    if (!l.fanout_name.empty() && l.fanout_name != l.name) names.push_back(l.fanout_name);
  for (const StorageLevel& l : levels) names.push_back(l.name);
  errors.push_back(
      target.error(fmt::format("target = {}, must be {}{}", word, join(names, "or"), did_you_mean(word, names))));
  return std::nullopt;
}

}  // namespace heliolite

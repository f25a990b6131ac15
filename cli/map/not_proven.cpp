#include "cli/map/not_proven.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/text.h"

namespace heliolite::cli {

std::string not_proven_text(std::span<const NotProven> layers) {
  constexpr std::size_t kMostNames = 6;
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const NotProven& layer : layers) {
    if (layer.why.empty()) continue;
    auto reason = std::ranges::find(reasons, layer.why, [](const auto& r) { return r.first; });
    if (reason == reasons.end()) reason = reasons.insert(reasons.end(), {layer.why, {}});
    reason->second.push_back(layer.layer);
  }
  std::string text;
  for (const auto& [why, names] : reasons)
    text += fmt::format("  Not proven: {}: {}.\n",
                        names.size() <= kMostNames ? join(names) : fmt::format("{} layers", names.size()), why);
  return text.empty() ? text : "\n" + text;
}

}  // namespace heliolite::cli

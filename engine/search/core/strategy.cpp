#include "engine/search/core/strategy.h"

#include <algorithm>
#include <array>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr std::array<std::string_view, 7> kStrategyNames{"exact", "sunstone",   "thesis", "random",
                                                         "bayes", "exhaustive", "cosa"};

}  // namespace

std::string_view name(Strategy strategy) { return kStrategyNames[at(strategy)]; }

std::optional<Strategy> parse_strategy(std::string_view name) {
  const auto at = std::find(kStrategyNames.begin(), kStrategyNames.end(), name);
  if (at == kStrategyNames.end()) return std::nullopt;
  return static_cast<Strategy>(at - kStrategyNames.begin());
}

std::vector<std::string> strategy_names() { return {kStrategyNames.begin(), kStrategyNames.end()}; }

}  // namespace heliolite

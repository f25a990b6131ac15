#include "engine/search/core/strategy.h"

#include <algorithm>

namespace heliolite {

std::optional<Strategy> parse_strategy(std::string_view name) {
  const auto* const at = std::ranges::find(kStrategyTable, name, &StrategyInfo::name);
  if (at == kStrategyTable.end()) return std::nullopt;
  return at->strategy;
}

std::vector<Strategy> strategies_of_values() {
  std::vector<Strategy> out;
  for (const StrategyInfo& strategy : kStrategyTable)
    if (strategy.values) out.push_back(strategy.strategy);
  return out;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> out;
  for (const StrategyInfo& strategy : kStrategyTable) out.emplace_back(strategy.name);
  return out;
}

}  // namespace heliolite

#include "engine/search/core/strategy.h"

#include "engine/base/named.h"

namespace heliolite {

std::optional<Strategy> parse_strategy(std::string_view name) {
  const StrategyInfo* const row = find_row(kStrategyTable, name);
  return row == nullptr ? std::nullopt : std::optional(row->strategy);
}

std::vector<Strategy> strategies_of_values() {
  std::vector<Strategy> out;
  for (const StrategyInfo& strategy : kStrategyTable)
    if (strategy.values) out.push_back(strategy.strategy);
  return out;
}

std::vector<std::string> strategy_names() { return names_of(kStrategyTable); }

}  // namespace heliolite

#include "engine/search/core/strategy.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/base/named.h"
#include "engine/base/text.h"

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

std::vector<LearnedTask> LearnedTasks::take() {
  const auto key = [](const LearnedTask& t) { return std::tie(t.machine, t.workload, t.objective); };
  std::ranges::stable_sort(tasks_, [&](const LearnedTask& a, const LearnedTask& b) { return key(a) < key(b); });
  return std::move(tasks_);
}

std::optional<CosaWeights> parse_cosa_weights(std::string_view text) {
  constexpr double kMost = 1e6;
  std::array<double, 3> weight{};
  for (std::size_t k = 0; k < weight.size(); ++k) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (k + 1 == weight.size())) return std::nullopt;
    const std::optional<double> value = parse_number<double>(trim(text.substr(0, comma)));
    if (!value || !(std::abs(*value) <= kMost)) return std::nullopt;
    weight[k] = *value;
    if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
  }
  return CosaWeights{weight[0], weight[1], weight[2]};
}

std::string to_text(const CosaWeights& weights) {
  return fmt::format("{},{},{}", weights.cycles, weights.traffic, weights.room);
}

}  // namespace heliolite

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

namespace {

constexpr std::array<std::string_view, 3> kEncodingNames{"auto", "scores", "categorical"};
constexpr std::array<std::string_view, 2> kTransferNames{"features", "tasks"};

}  // namespace

std::string_view name(OrderEncoding encoding) { return kEncodingNames[at(encoding)]; }
std::optional<OrderEncoding> parse_order_encoding(std::string_view name) {
  return find_named<OrderEncoding>(kEncodingNames, name);
}
std::vector<std::string> order_encoding_names() { return names_of(kEncodingNames); }

std::string_view name(Transfer transfer) { return kTransferNames[at(transfer)]; }
std::optional<Transfer> parse_transfer(std::string_view name) { return find_named<Transfer>(kTransferNames, name); }
std::vector<std::string> transfer_names() { return names_of(kTransferNames); }

std::vector<LearnedTask> LearnedTasks::take() {
  const auto key = [](const LearnedTask& t) { return std::tie(t.machine, t.workload, t.objective); };
  std::ranges::stable_sort(tasks_, [&](const LearnedTask& a, const LearnedTask& b) { return key(a) < key(b); });
  return std::move(tasks_);
}

namespace {

constexpr std::array<std::string_view, 3> kVariantNames{"published", "ordered", "convex"};
constexpr std::array<std::string_view, 2> kHaloNames{"exact", "doubled"};

}  // namespace

std::string_view name(CosaVariant variant) { return kVariantNames[at(variant)]; }
std::optional<CosaVariant> parse_cosa_variant(std::string_view name) {
  return find_named<CosaVariant>(kVariantNames, name);
}
std::vector<std::string> cosa_variant_names() { return names_of(kVariantNames); }

std::string_view name(CosaHalo halo) { return kHaloNames[at(halo)]; }
std::optional<CosaHalo> parse_cosa_halo(std::string_view name) { return find_named<CosaHalo>(kHaloNames, name); }
std::vector<std::string> cosa_halo_names() { return names_of(kHaloNames); }

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

namespace {

constexpr std::array<std::string_view, 2> kProtocolNames{"once", "stream"};

}  // namespace

std::string_view name(EvaluatorProtocol protocol) { return kProtocolNames[at(protocol)]; }
std::optional<EvaluatorProtocol> parse_evaluator_protocol(std::string_view name) {
  return find_named<EvaluatorProtocol>(kProtocolNames, name);
}
std::vector<std::string> evaluator_protocol_names() { return names_of(kProtocolNames); }

}  // namespace heliolite

#include "engine/search/core/strategy_options.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "engine/base/integers.h"
#include "engine/base/number_text.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::array<std::string_view, 3> kEncodingNames{"auto", "scores", "categorical"};
constexpr std::array<std::string_view, 2> kTransferNames{"features", "tasks"};

template <class Enum, std::size_t N>
std::optional<Enum> parse(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view name(OrderEncoding encoding) { return kEncodingNames[at(encoding)]; }
std::optional<OrderEncoding> parse_order_encoding(std::string_view name) {
  return parse<OrderEncoding>(kEncodingNames, name);
}
std::vector<std::string> order_encoding_names() { return {kEncodingNames.begin(), kEncodingNames.end()}; }

std::string_view name(Transfer transfer) { return kTransferNames[at(transfer)]; }
std::optional<Transfer> parse_transfer(std::string_view name) { return parse<Transfer>(kTransferNames, name); }
std::vector<std::string> transfer_names() { return {kTransferNames.begin(), kTransferNames.end()}; }

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
  const auto found = std::ranges::find(kVariantNames, name);
  if (found == kVariantNames.end()) return std::nullopt;
  return static_cast<CosaVariant>(found - kVariantNames.begin());
}

std::vector<std::string> cosa_variant_names() { return {kVariantNames.begin(), kVariantNames.end()}; }

std::string_view name(CosaHalo halo) { return kHaloNames[at(halo)]; }

std::optional<CosaHalo> parse_cosa_halo(std::string_view name) {
  const auto found = std::ranges::find(kHaloNames, name);
  if (found == kHaloNames.end()) return std::nullopt;
  return static_cast<CosaHalo>(found - kHaloNames.begin());
}

std::vector<std::string> cosa_halo_names() { return {kHaloNames.begin(), kHaloNames.end()}; }

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

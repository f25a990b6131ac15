#include "engine/search/core/bayes_options.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "engine/base/integers.h"

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

}  // namespace heliolite

#include "engine/report/value_order.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/base/byte_size.h"
#include "engine/base/parse_number.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

std::optional<double> size_of(std::string_view text) {
  if (const std::optional<double> bytes = parse_bytes(text)) return bytes;
  double product = 1;
  for (const std::string& side : split(text, 'x')) {
    const std::optional<double> factor = parse_number<double>(side);
    if (!factor) return std::nullopt;
    product *= *factor;
  }
  return text.empty() ? std::nullopt : std::optional(product);
}

}  // namespace

std::vector<std::string> in_order(std::vector<std::string> values) {
  const auto has_size = [](const std::string& value) { return size_of(value).has_value(); };
  if (std::ranges::all_of(values, has_size)) std::ranges::stable_sort(values, {}, size_of);
  return values;
}

}  // namespace heliolite

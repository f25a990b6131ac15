#include "arch/bandwidth_units.h"

#include <array>
#include <utility>

#include "engine/base/parse_number.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kByteRates{{{"MB/s", 1e-3}, {"GB/s", 1}, {"TB/s", 1e3}}};

}  // namespace

std::optional<double> parse_gigabytes_per_second(std::string_view text) {
  text = trim(text);
  for (const auto& [unit, gigabytes] : kByteRates) {
    if (!text.ends_with(unit)) continue;
    const std::optional<double> number = parse_number<double>(trim(text.substr(0, text.size() - unit.size())));
    return number && *number > 0 ? std::optional(*number * gigabytes) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace heliolite

#include "arch/bandwidth_units.h"

#include <array>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kByteRates{{{"MB/s", 1e-3}, {"GB/s", 1}, {"TB/s", 1e3}}};
constexpr std::array<std::pair<std::string_view, double>, 2> kBitEnergies{{{"pJ/bit", 1}, {"fJ/bit", 1e-3}}};

// The number before one of the units, times what the unit is worth.
template <class Units>
std::optional<double> with_unit(std::string_view text, const Units& units) {
  text = trim(text);
  for (const auto& [unit, worth] : units) {
    if (!text.ends_with(unit)) continue;
    const std::optional<double> number = parse_number<double>(trim(text.substr(0, text.size() - unit.size())));
    return number ? std::optional(*number * worth) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_gigabytes_per_second(std::string_view text) {
  const std::optional<double> rate = with_unit(text, kByteRates);
  return rate && *rate > 0 ? rate : std::nullopt;
}

std::optional<double> parse_picojoules_per_bit(std::string_view text) {
  const std::optional<double> pj = with_unit(text, kBitEnergies);
  return pj && *pj >= 0 ? pj : std::nullopt;
}

}  // namespace heliolite

#include "engine/base/number_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr double kKilo = 1024;
constexpr std::array kUnits{Unit{"B", 1},
                            Unit{"KB", kKilo},
                            Unit{"KiB", kKilo},
                            Unit{"MB", kKilo* kKilo},
                            Unit{"MiB", kKilo* kKilo},
                            Unit{"GB", kKilo* kKilo* kKilo},
                            Unit{"GiB", kKilo* kKilo* kKilo}};

}  // namespace

std::optional<double> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || !(number > 0) || !std::isfinite(number)) return std::nullopt;
  const std::string_view unit = trim(text.substr(at(end - text.data())));
  for (const Unit& known : kUnits)
    if (lower(unit) == lower(known.name)) return number * known.bytes;
  return std::nullopt;
}

namespace {

struct Prefix {
  double factor = 1;
  std::string_view letter;
};
constexpr std::array<Prefix, 11> kPrefixes{{{1e15, "P"},
                                            {1e12, "T"},
                                            {1e9, "G"},
                                            {1e6, "M"},
                                            {1e3, "k"},
                                            {1, ""},
                                            {1e-3, "m"},
                                            {1e-6, "u"},
                                            {1e-9, "n"},
                                            {1e-12, "p"},
                                            {1e-15, "f"}}};

}  // namespace

std::string grouped(u64 n) {
  std::string digits = fmt::format("{}", n);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

std::string with_prefix(double value, std::string_view unit) {
  if (value == 0) return fmt::format("0 {}", unit);
  const auto fits = [&](const Prefix& prefix) { return std::abs(value) >= prefix.factor; };
  const auto found = std::ranges::find_if(kPrefixes, fits);
  const Prefix prefix = found == kPrefixes.end() ? kPrefixes.back() : *found;
  const double shown = value / prefix.factor;
  // Four digits, and none of them behind an exponent.
  return shown >= 1000 ? fmt::format("{:.0f} {}{}", shown, prefix.letter, unit)
                       : fmt::format("{:.4g} {}{}", shown, prefix.letter, unit);
}

}  // namespace heliolite

#include "engine/base/byte_size.h"

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

}  // namespace heliolite

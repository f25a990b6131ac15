#pragma once
// Numbers as text: read whatever the locale, and written as people read them; sizes of memories in bytes.
#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/types.h"

namespace heliolite {

// Texts that are one number, whatever the locale: of options, cells and parts of a notation.

// The number that the text is, from its first character to its last: "12", for doubles also "-0.5" or "1e6". Nothing
// for anything else: no character, a space, a "+", something behind the number, inf, nan, or more than Number holds.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::floating_point<Number>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

// Sizes of memories in bytes, as people write them: the one notation of files and options.

// The bytes that "108 KB" or "3.1MiB" means: a number above 0 and its unit, B, KB, MB or GB, each 1024 times the one
// before (KiB, MiB and GiB are the same). Nothing for anything else, plain numbers included.
std::optional<double> parse_bytes(std::string_view text);

inline constexpr std::string_view kByteUnits = "B, KB, MB or GB, of 1024";  // for messages
// A regular expression that every such text matches.
inline constexpr const char* kBytePattern = "^[0-9.]+([eE][+-]?[0-9]+)?\\s*([kKmMgG][iI]?)?[bB]\\s*$";

// Numbers as people read them, in tables and on pages. Locale plays no part.

std::string grouped(u64 n);            // "1,234,567"
std::string percent(double fraction);  // "46.9 %"

// A number with the prefix of its unit that makes it easy to read: "1.2 mW", "345 GB/s", "0 W".
std::string with_prefix(double value, std::string_view unit);

}  // namespace heliolite

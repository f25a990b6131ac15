#pragma once
// Texts that are one number, whatever the locale: of options, cells and parts of a notation.
#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>

namespace heliolite {

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

}  // namespace heliolite

#pragma once
// Texts as readers and tables need them: words, cells and scalars, numbers, and a user's texts as they are shown.
#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// The candidate nearest to `word` by edit distance (case ignored), if it is near enough to be a likely slip.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// ", did you mean 'x'?" or "" (for the end of an error message).
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// The words as an enumeration: "a, b and c"; with last = "or" "a, b or c".
std::string join(std::span<const std::string> words, std::string_view last = "and");

// The text as a cell of comma-separated values: in quotes if it has a comma, a quote or a line end.
std::string csv_cell(std::string_view text);

// The text as a scalar of a YAML file: in quotes unless it is a word of letters, digits, '_' and '.' that begins with a
// letter, and is none that YAML has another meaning for, as "true".
std::string yaml_scalar(std::string_view text);

// Letters and digits of identifiers, in every notation read here; independent of the locale.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The text in small letters; the text without spaces at both ends; its parts between separators.
std::string lower(std::string_view text);
std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);  // trimmed parts; "" gives none

// A user's texts as they are shown: shortened in complaints, and without what a terminal obeys.

inline constexpr std::size_t kLongestShown = 200;  // bytes

// What no text has: controls of ASCII other than line ends and tabs.
bool is_control(char c);

// The character of UTF-8 that a text (not "") begins with, and its bytes; no bytes where it begins with none (RFC 3629:
// no overlong forms, no surrogates, at most U+10FFFF).
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;
};
CodePoint code_point(std::string_view text);

// The text as a person can see it: control characters (also those of Unicode, and marks that turn the direction of
// writing), line ends and bytes that are no UTF-8 as \n, \x1b, \u202e. Characters in `kept` stay as they are. What
// names from files are made of reaches terminals, pictures and pages through this alone.
std::string visible(std::string_view text, std::string_view kept = "");

// The text made visible, line ends and tabs as spaces; a longer one is cut, with its length: "aaaa.. (5000
// characters)". What was cut once is not cut again.
std::string shortened(std::string_view text);

// The message with what stands between single quotes, and every word, shortened.
std::string readable(std::string_view message);

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
// "50 MiB", "1.5 KiB", "100 B".
std::string bytes_text(double bytes);

inline constexpr std::string_view kByteUnits = "B, KB, MB or GB, of 1024";  // for messages
// A regular expression that every such text matches.
inline constexpr const char* kBytePattern = "^[0-9.]+([eE][+-]?[0-9]+)?\\s*([kKmMgG][iI]?)?[bB]\\s*$";

// Numbers as people read them, in tables and on pages. Locale plays no part.

std::string grouped(u64 n);            // "1,234,567"
std::string percent(double fraction);  // "46.9 %"

// A number with the prefix of its unit that makes it easy to read: "1.2 mW", "345 GB/s", "0 W".
std::string with_prefix(double value, std::string_view unit);

}  // namespace heliolite

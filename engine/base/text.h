#pragma once
// Small text helpers shared by readers and tables.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace heliolite

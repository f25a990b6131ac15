#pragma once
// A user's texts as they are shown: shortened in complaints, and without what a terminal obeys.
#include <string>
#include <string_view>

namespace heliolite {

class YamlNode;

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

// A value as complaints "key = VALUE, must be .." show it: its text, or what it is if it has none ("nothing", "a
// list").
std::string shown(const YamlNode& value);

// The message with what stands between single quotes, and every word, shortened.
std::string readable(std::string_view message);

}  // namespace heliolite

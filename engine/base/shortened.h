#pragma once
// How much of a user's text a complaint shows.
#include <string>
#include <string_view>

namespace heliolite {

class YamlNode;

inline constexpr std::size_t kLongestShown = 200;  // bytes

// The text without control characters; a longer one is cut, with its length: "aaaa.. (5000 characters)". What was cut
// once is not cut again.
std::string shortened(std::string_view text);

// The value of a complaint "key = VALUE, must be ..": its text, or what it is instead of one ("nothing", "a list").
std::string shown(const YamlNode& value);

// A message that may hold texts of unknown length: what stands between single quotes, and every word, shortened.
std::string readable(std::string_view message);

}  // namespace heliolite

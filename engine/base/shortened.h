#pragma once
// Shortening a user's texts for complaints.
#include <string>
#include <string_view>

namespace heliolite {

class YamlNode;

inline constexpr std::size_t kLongestShown = 200;  // bytes

// The text without control characters; a longer one is cut, with its length: "aaaa.. (5000 characters)". What was cut
// once is not cut again.
std::string shortened(std::string_view text);

// A value as complaints "key = VALUE, must be .." show it: its text, or what it is if it has none ("nothing", "a
// list").
std::string shown(const YamlNode& value);

// The message with what stands between single quotes, and every word, shortened.
std::string readable(std::string_view message);

}  // namespace heliolite

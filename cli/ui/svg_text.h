#pragma once
// Text inside SVG documents.
#include <string>

namespace heliolite::cli {

// With the characters that XML reserves replaced.
inline std::string svg_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else out += c;
  }
  return out;
}

}  // namespace heliolite::cli

#pragma once
// Text inside SVG documents.
#include <string>

#include "engine/base/shortened.h"

namespace heliolite::cli {

// Made visible, and with the characters that XML reserves replaced.
inline std::string svg_escaped(const std::string& text) {
  std::string out;
  for (const char c : visible(text)) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else out += c;
  }
  return out;
}

}  // namespace heliolite::cli

#include "cli/ui/safe_text.h"

#include <algorithm>

#include "cli/ui/colour.h"
#include "engine/base/shortened.h"

namespace heliolite::cli {

std::string without_controls(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t sequence = colour_sequence(text.substr(i)); sequence > 0) {
      out += text.substr(i, sequence);
      i += sequence;
      continue;
    }
    const std::size_t end = std::min(text.find('\x1b', i + 1), text.size());
    out += visible(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string for_stdout(const std::string& text) {
  const bool coloured = painted("x", Tone::Good) != "x";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find('\n', i), text.size());
    const std::string line = text.substr(i, end - i);
    out += (coloured ? without_controls(line) : visible(line)) + (end < text.size() ? "\n" : "");
    i = end + 1;
  }
  return out;
}

}  // namespace heliolite::cli

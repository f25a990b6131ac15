#include "engine/program/c_cursor.h"

namespace heliolite {

std::string CCursor::text_from(std::size_t begin) const {
  constexpr std::size_t kLongest = 200;
  if (begin >= at_) return "";
  std::string out;
  const char* const first = tokens_[begin].text.data();
  const CToken& last = tokens_[at_ - 1];
  const std::string_view text(first, static_cast<std::size_t>(last.text.data() + last.text.size() - first));
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c;
    if (out.size() == kLongest) return out + "..";
  }
  return out;
}

}  // namespace heliolite

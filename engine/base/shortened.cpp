#include "engine/base/shortened.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/base/types.h"

namespace heliolite {
namespace {

constexpr std::size_t kLongestCharacter = 4;  // bytes of UTF-8
constexpr std::size_t kCutTo = 160;           // leaves room for the length

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Controls, marks of direction and what XML knows no character for.
bool is_hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || (c & 0xfffe) == 0xfffe;
}

// At most `most` bytes, not ending inside a character.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < kLongestCharacter && continues(text[end])) --end;
  return text.substr(0, end);
}

// The length of the text in quotes that a message begins with, up to a quote that no letter follows; 0 if there is
// none.
std::size_t quoted_length(std::string_view message) {
  for (std::size_t end = message.find('\'', 1); end != std::string_view::npos; end = message.find('\'', end + 1))
    if (end + 1 == message.size() || !(is_letter(message[end + 1]) || is_digit(message[end + 1]))) return end - 1;
  return 0;
}

}  // namespace

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

CodePoint code_point(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  char32_t value = first & (0xffu >> (bytes + 1));
  for (std::size_t k = 1; k < bytes; ++k) {
    if (!continues(text[k])) return {};
    value = value << 6 | (byte(k) & 0x3fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[bytes] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {};
  return {value, bytes};
}

std::string visible(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const CodePoint c = code_point(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    if (c.bytes == 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (!is_hidden(c.value) || (c.bytes == 1 && kept.find(text.front()) != std::string_view::npos))
      out += text.substr(0, bytes);
    else if (c.value == '\n') out += "\\n";
    else if (c.value == '\t') out += "\\t";
    else if (c.value == '\r') out += "\\r";
    else if (c.value < 0x80) out += fmt::format("\\x{:02x}", static_cast<u32>(c.value));
    else out += fmt::format("\\u{:04x}", static_cast<u32>(c.value));
    text.remove_prefix(bytes);
  }
  return out;
}

std::string shortened(std::string_view text) {
  std::string out(beginning(text, text.size() > kLongestShown ? kCutTo : kLongestShown));
  const bool whole = out.size() == text.size();
  std::ranges::replace_if(
      out, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  out = visible(out);
  if (whole) return out;
  const auto characters = std::ranges::count_if(text, [](char c) { return !continues(c); });
  return fmt::format("{}.. ({} characters)", out, characters);
}

std::string readable(std::string_view message) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const std::string_view rest = message.substr(at);
    const std::size_t quoted = rest.starts_with('\'') ? quoted_length(rest) : 0;
    const std::size_t word = std::min(rest.find_first_of(" \n"), rest.size());
    if (quoted > 0) {
      const std::string_view inside = rest.substr(1, quoted);
      out += "'" + (quoted > kLongestShown ? shortened(inside) : visible(inside)) + "'";
      at += quoted + 2;
    } else {
      out += word > kLongestShown ? shortened(rest.substr(0, word)) : visible(rest.substr(0, word));
      at += word;
    }
    // What separates it from the next word.
    for (; at < message.size() && (message[at] == ' ' || message[at] == '\n'); ++at) out += message[at];
  }
  return out;
}

}  // namespace heliolite

#include "engine/base/shortened.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::size_t kLongestCharacter = 4;  // bytes of UTF-8
constexpr std::size_t kCutTo = 160;           // leaves room for the length

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// At most `most` bytes, not ending inside a character.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < kLongestCharacter && continues(text[end])) --end;
  return text.substr(0, end);
}

// Of the text in quotes that a message begins with, up to a quote that no letter follows; 0 if there is none.
std::size_t quoted_length(std::string_view message) {
  for (std::size_t end = message.find('\'', 1); end != std::string_view::npos; end = message.find('\'', end + 1))
    if (end + 1 == message.size() || !(is_letter(message[end + 1]) || is_digit(message[end + 1]))) return end - 1;
  return 0;
}

}  // namespace

std::string shortened(std::string_view text) {
  std::string out(beginning(text, text.size() > kLongestShown ? kCutTo : kLongestShown));
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  if (out.size() == text.size()) return out;
  const auto characters = std::ranges::count_if(text, [](char c) { return !continues(c); });
  return fmt::format("{}.. ({} characters)", out, characters);
}

std::string readable(std::string_view message) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const std::string_view rest = message.substr(at);
    const std::size_t quoted = rest.starts_with('\'') ? quoted_length(rest) : 0;
    const std::size_t word = std::min(rest.find_first_of(" \n"), rest.size());
    if (quoted > kLongestShown) {
      out += "'" + shortened(rest.substr(1, quoted)) + "'";
      at += quoted + 2;
    } else {
      out += word > kLongestShown ? shortened(rest.substr(0, word)) : std::string(rest.substr(0, word));
      at += word;
    }
    // What separates it from the next word.
    for (; at < message.size() && (message[at] == ' ' || message[at] == '\n'); ++at) out += message[at];
  }
  return out;
}

}  // namespace heliolite

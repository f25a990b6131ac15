#include "workloads/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/base/text.h"
#include "workloads/einsum_text.h"

namespace heliolite {
namespace {

u64 number(std::string_view digits) {
  constexpr u64 kMax = std::numeric_limits<u64>::max();
  u64 value = 0;
  for (const char c : digits) {
    const u64 digit = static_cast<u64>(c - '0');
    if (value > (kMax - digit) / 10) return kMax;
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace

void TextCursor::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
    ++at_;
}

bool TextCursor::take(std::string_view token) {
  skip_space();
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

std::optional<std::string_view> TextCursor::identifier() {
  skip_space();
  std::size_t end = at_;
  if (end == text_.size() || !is_letter(text_[end])) return std::nullopt;
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return found;
}

std::optional<Digits> TextCursor::digits() {
  skip_space();
  std::size_t end = at_;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  if (end == at_) return std::nullopt;
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return Digits{found, number(found)};
}

std::string_view TextCursor::value() {
  skip_space();
  const std::size_t end = std::min(text_.find_first_of(" ,;\t\n\r", at_), text_.size());
  const std::string_view found = text_.substr(at_, end - at_);
  at_ = end;
  return found;
}

bool TextCursor::at_end() {
  skip_space();
  return at_ == text_.size();
}

std::size_t TextCursor::column() {
  skip_space();
  return at_ + 1;
}

Diagnostic TextCursor::error(std::string message) { return error_at(column(), std::move(message)); }

Diagnostic TextCursor::error_at(std::size_t column, std::string message) const {
  return {shortened(text_), 0, fmt::format("column {}", column), std::move(message)};
}

std::string TextCursor::found() {
  TextCursor ahead = *this;
  if (ahead.at_end()) return "the end";
  if (const auto word = ahead.identifier()) return fmt::format("'{}'", shortened(*word));
  if (const auto word = ahead.digits()) return fmt::format("'{}'", shortened(word->text));
  return fmt::format("'{}'", text_[ahead.at_]);
}

}  // namespace heliolite

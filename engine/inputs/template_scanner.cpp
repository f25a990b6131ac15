// The pieces of a template: plain text, and what stands between braces.
#include "engine/inputs/template_render.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {
namespace {

// Takes a text apart at its braces.
class TemplateScanner {
 public:
  TemplateScanner(std::string_view text, const std::string& file, Diagnostics& errors)
      : text_(text), file_(file), errors_(errors) {}

  std::vector<TemplatePiece> run() {
    while (at_ < text_.size() && errors_.empty()) {
      const std::size_t open = next_open();
      plain(open);
      if (open < text_.size()) braces(open);
    }
    return std::move(pieces_);
  }

 private:
  std::size_t next_open() const {
    for (std::size_t at = text_.find('{', at_); at != std::string_view::npos; at = text_.find('{', at + 1))
      if (at + 1 < text_.size() && std::string_view("{%#").find(text_[at + 1]) != std::string_view::npos) return at;
    return text_.size();
  }

  void plain(std::size_t end) {
    if (trim_next_) {  // "-}}" takes the blanks behind it away
      const std::size_t first = std::min(text_.find_first_not_of(" \t\r\n", at_), end);
      advance(first);
    }
    if (end > at_) pieces_.push_back({TemplatePieceKind::Text, text_.substr(at_, end - at_), line_});
    advance(end);
  }

  void braces(std::size_t open) {
    const char mark = text_[open + 1];
    const char closing[] = {mark == '{' ? '}' : mark, '}', '\0'};
    std::size_t end = close_of(open + 2, closing, mark != '#');
    if (end == std::string_view::npos) {
      errors_.push_back({file_, line_, "", fmt::format("{{{} is opened here and never closed with {}", mark, closing)});
      return;
    }
    std::string_view inside = text_.substr(open + 2, end - open - 2);
    if (inside.starts_with('-')) trim_before();
    trim_next_ = inside.ends_with('-');
    if (inside.starts_with('-') || inside.starts_with('+')) inside.remove_prefix(1);
    if (trim_next_ || inside.ends_with('+')) inside.remove_suffix(std::min<std::size_t>(1, inside.size()));
    if (mark == '%' && trim(inside) == "raw") return raw(end + 2);
    if (mark != '#')
      pieces_.push_back(
          {mark == '{' ? TemplatePieceKind::Expression : TemplatePieceKind::Statement, trim(inside), line_});
    advance(end + 2);
  }

  // Text in which braces mean nothing, up to {% endraw %}.
  void raw(std::size_t from) {
    for (std::size_t open = text_.find("{%", from); open != std::string_view::npos; open = text_.find("{%", open + 1)) {
      const std::size_t end = text_.find("%}", open);
      if (end == std::string_view::npos) break;
      std::string_view word = text_.substr(open + 2, end - open - 2);
      if (word.starts_with('-')) word.remove_prefix(1);
      if (word.ends_with('-')) word.remove_suffix(1);
      if (trim(word) != "endraw") continue;
      advance(from);
      plain(open);
      advance(end + 2);
      trim_next_ = text_[end - 1] == '-';
      return;
    }
    errors_.push_back({file_, line_, "", "'raw' without 'endraw'"});
  }

  // Where `closing` stands, outside quotes if there may be any.
  std::size_t close_of(std::size_t from, std::string_view closing, bool quotes) const {
    char quote = '\0';
    for (std::size_t at = from; at + 1 < text_.size(); ++at) {
      const char c = text_[at];
      if (quotes && quote != '\0') {
        if (c == '\\') ++at;
        else if (c == quote) quote = '\0';
      } else if (quotes && (c == '\'' || c == '"')) {
        quote = c;
      } else if (text_.substr(at, 2) == closing) {
        return at;
      }
    }
    return std::string_view::npos;
  }

  void trim_before() {
    if (pieces_.empty() || pieces_.back().kind != TemplatePieceKind::Text) return;
    std::string_view& text = pieces_.back().text;
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  }

  void advance(std::size_t to) {
    line_ += static_cast<int>(std::ranges::count(text_.substr(at_, to - at_), '\n'));
    at_ = to;
  }

  std::string_view text_;
  const std::string& file_;
  Diagnostics& errors_;
  std::vector<TemplatePiece> pieces_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool trim_next_ = false;
};

}  // namespace

Result<std::vector<TemplatePiece>> template_pieces(std::string_view text, const std::string& file) {
  Diagnostics errors;
  std::vector<TemplatePiece> pieces = TemplateScanner(text, file, errors).run();
  if (!errors.empty()) return errors;
  return pieces;
}

}  // namespace heliolite

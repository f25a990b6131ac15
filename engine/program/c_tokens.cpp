// The words of a C text with their lines, and a cursor that walks them and collects complaints.
#include "engine/program/c_reader.h"

#include <algorithm>
#include <array>

#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::array<std::string_view, 23> kLongSigns{"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                                      "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                                      "*=",  "/=",  "%=",  "&=", "|=", "^=", "##"};

class CLexer {
 public:
  explicit CLexer(std::string_view text) : text_(text) {}

  std::vector<CToken> run() {
    while (skip_space(), at_ < text_.size()) add();
    tokens_.push_back({CTokenKind::end, text_.substr(text_.size()), line_});
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

  void step() {
    if (text_[at_] == '\n') ++line_, line_begins_ = true;
    ++at_;
  }

  // White space, comments and continued lines.
  void skip_space() {
    while (at_ < text_.size()) {
      if (starts("//")) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (starts("/*")) {
        const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
        while (at_ < end) step();
        at_ = std::min(at_ + 2, text_.size());
      } else if (starts("\\\n") || std::string_view(" \t\r\n\f\v").find(text_[at_]) != std::string_view::npos) {
        step();
      } else {
        return;
      }
    }
  }

  void add() {
    const std::size_t begin = at_;
    const int line = line_;
    CTokenKind kind = CTokenKind::sign;
    if (text_[at_] == '#' && line_begins_) {
      kind = CTokenKind::directive;
      while (at_ < text_.size() && text_[at_] != '\n') starts("\\\n") ? (++at_, step()) : void(++at_);
    } else if (is_letter(text_[at_])) {
      kind = CTokenKind::name;
      while (is_letter(peek()) || is_digit(peek())) ++at_;
    } else if (is_digit(text_[at_]) || (text_[at_] == '.' && is_digit(peek(1)))) {
      kind = CTokenKind::number;
      number();
    } else if (text_[at_] == '"' || text_[at_] == '\'') {
      kind = CTokenKind::number;
      quoted(text_[at_]);
    } else {
      sign();
    }
    line_begins_ = false;
    tokens_.push_back({kind, text_.substr(begin, at_ - begin), line});
  }

  void number() {
    while (is_letter(peek()) || is_digit(peek()) || peek() == '.') {
      const bool exponent = std::string_view("eEpP").find(peek()) != std::string_view::npos;
      ++at_;
      if (exponent && (peek() == '+' || peek() == '-')) ++at_;
    }
  }

  // To the closing quote, or to the end of the line where there is none.
  void quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
      at_ += text_[at_] == '\\' && peek(1) != '\n' && peek(1) != '\0' ? 2 : 1;
    if (peek() == quote) ++at_;
  }

  void sign() {
    const auto found = std::find_if(kLongSigns.begin(), kLongSigns.end(), [&](auto s) { return starts(s); });
    at_ += found == kLongSigns.end() ? 1 : found->size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true;
  std::vector<CToken> tokens_;
};

}  // namespace

std::vector<CToken> c_tokens(std::string_view text) { return CLexer(text).run(); }

std::vector<std::string> directive_words(const CToken& directive) {
  std::string_view line = directive.text.substr(1);
  line = line.substr(0, std::min(line.find("//"), line.find("/*")));
  std::vector<std::string> words(1);
  for (const char c : line)
    if (c == ' ' || c == '\t' || c == '\r') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  if (words.back().empty()) words.pop_back();
  return words;
}

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

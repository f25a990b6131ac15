#pragma once
// The words of a C text with their lines, and a cursor that walks them and collects complaints.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

// The words of a C text, with their lines.

enum class CTokenKind : u8 { name, number, sign, directive, end };

// A view into the text, which must outlive it.
struct CToken {
  CTokenKind kind = CTokenKind::end;
  std::string_view text;  // of a directive: the line, without what is before '#'
  int line = 1;

  bool is(std::string_view other) const { return text == other && kind != CTokenKind::directive; }
};

// All words of the text without comments; a directive ("#pragma scop") is one word, a literal in quotes is a number.
// Any text has words: what C does not know is a sign of one character. The last one is `end`.
std::vector<CToken> c_tokens(std::string_view text);

// The words of a directive: "pragma", "scop".
std::vector<std::string> directive_words(const CToken& directive);

// Walks the words of a C text and collects complaints. After an error of syntax the cursor stands at the end: readers
// need no way out of their own.

// Parentheses, loops and operators within each other; more are refused, for readers call themselves.
inline constexpr int kMaxNesting = 100;
inline constexpr std::size_t kMaxComplaints = 20;

class CCursor {
 public:
  CCursor(std::vector<CToken> tokens, std::string file) : tokens_(std::move(tokens)), file_(std::move(file)) {}

  const CToken& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool is(std::string_view text) const { return peek().is(text); }
  bool at_end() const { return peek().kind == CTokenKind::end; }
  const CToken& next() { return at_end() ? tokens_.back() : tokens_[at_++]; }
  bool accept(std::string_view text) { return is(text) && (next(), true); }
  std::size_t position() const { return at_; }

  // The word must come now; `where` ends the complaint if it does not: "after the condition of 'if'".
  void expect(std::string_view text, const std::string& where) {
    if (!accept(text)) stop("expected '" + std::string(text) + "' " + where + ", found " + found());
  }

  // A wrong meaning: reading goes on.
  void complain(int line, const std::string& message, const std::string& field = "") {
    if (!stopped_ && complaints_.size() < kMaxComplaints) complaints_.push_back({file_, line, field, message});
  }
  // A wrong word: nothing behind it can be understood.
  void stop(const std::string& message) {
    complain(peek().line, message);
    stopped_ = true;
    at_ = tokens_.size() - 1;
  }

  // The word here, for a complaint.
  std::string found() const { return at_end() ? "the end" : "'" + std::string(peek().text.substr(0, 40)) + "'"; }
  // The text from a position to here, as it stands there, for people: spaces as one, long ones cut.
  std::string text_from(std::size_t begin) const;

  bool stopped() const { return stopped_; }
  const std::string& file() const { return file_; }
  const Diagnostics& complaints() const { return complaints_; }

  // Counts how deep readers have called each other while it lives.
  class Nested {
   public:
    explicit Nested(CCursor& cursor) : cursor_(cursor) {
      if (++cursor_.depth_ > kMaxNesting) cursor_.stop("nested more than " + std::to_string(kMaxNesting) + " deep");
    }
    ~Nested() { --cursor_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    CCursor& cursor_;
  };

 private:
  std::vector<CToken> tokens_;  // the last one is the end
  std::string file_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool stopped_ = false;
  Diagnostics complaints_;
};

}  // namespace heliolite

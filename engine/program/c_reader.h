#pragma once
// Reads C texts: words and their lines, affine expressions and conditions, right-hand sides of assignments.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/program/program_sketch.h"

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

// The name without the prefix of PolyBench's bounds: _PB_N is N.
std::string bound_name(std::string_view name);

// What is divided by a number: it must not be negative where that is evaluated, for C rounds to zero and isl down.
struct Division {
  std::string dividend;   // in isl's notation
  std::string condition;  // what holds there in addition to the loops and ifs around; "true" if nothing
  std::string text;       // for people: "(i - 1) % 2"
  int line = 0;
};

class AffineReader {
 public:
  // `named` is told every name and its line.
  AffineReader(CCursor& cursor, std::function<void(const std::string&, int)> named)
      : cursor_(cursor), named_(std::move(named)) {}

  // An expression; 0 after a complaint, which says what is not affine. Ends before ']', ')', ';' or a comparison.
  AffineForm expression();

  // The divisions of what was read since the last call.
  std::vector<Division> take_divisions() { return std::exchange(divisions_, {}); }

  // A condition such as i < j && (i != 0 || j >= N), in isl's notation.
  std::string condition();

 private:
  AffineForm sum_of_products();
  AffineForm product();
  AffineForm factor();
  AffineForm divided(const AffineForm& form, std::size_t begin);
  std::string conjunction();
  std::string atom();
  std::string comparison();
  bool bracket_is_condition() const;
  void refuse(int line, const std::string& message);
  AffineForm checked(const std::optional<AffineForm>& form, int line);

  CCursor& cursor_;
  std::function<void(const std::string&, int)> named_;
  std::vector<Division> divisions_;
  std::vector<std::string> known_;  // conditions that hold where the present one is evaluated
  bool wrong_ = false;              // the expression that is being read is wrong: one complaint is enough
  int nested_conditions_ = 0;       // that are being read
  int alternatives_ = 0;            // in the outermost of them
};

// Reads the right-hand sides of C assignments, of which only what they read and how much they compute is of interest.

// Whether the word is the name of a type: double, DATA_TYPE, ..
bool is_c_type(const CToken& token);

class ValueReader {
 public:
  ValueReader(CCursor& cursor, AffineReader& affine) : cursor_(cursor), affine_(affine) {}

  // An expression up to ';' or a bracket that closes: its reads, each element once, are added to `reads`, its operators
  // and calls to `operators`; of a ? b : c those of the longer branch and of the condition. The reads that it depends
  // on, as a mask.
  u64 expression(std::vector<SketchAccess>& reads, std::vector<u64>& operators);

  // A scalar, or an array with its subscripts; of what is assigned, "++" and "--" may follow.
  SketchAccess element();
  SketchAccess target();

 private:
  u64 whole();
  u64 binary(int least_precedence);
  u64 unary();
  u64 primary();
  u64 call();
  u64 add(SketchAccess access);
  u64 operate(u64 reads);

  CCursor& cursor_;
  AffineReader& affine_;
  std::vector<SketchAccess>* reads_ = nullptr;
  std::vector<u64>* operators_ = nullptr;
};

// How much the assignments of a program compute.

// Sets SketchStatement::operations: the operators that depend on something that changes in the innermost loop, which is
// an element whose subscripts have its index, the index itself, or an array that the loop writes. A statement without
// loops computes all of them. To be called before drop_numbers().
void count_operations(ProgramSketch& sketch);

}  // namespace heliolite

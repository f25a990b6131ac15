#pragma once
// What the expressions of Timeloop's and AccelForge's files and of templates have in common: scanning, and arithmetic
// with Python's precedence.
#include <array>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace heliolite {

// x op y, `op` one of + - * / // % **, as Python rounds. Errors, one clause without a place: a division by zero, a
// value that is not finite.
Result<double> arithmetic(std::string_view op, double x, double y);

// Walks through a text. After the first mistake of syntax it stands at the end, so that every parser runs out.
class ExpressionScanner {
 public:
  ExpressionScanner(std::string_view text, int most_nested);  // `most_nested`: parentheses, signs and the like

 protected:
  bool broken() const { return !syntax_.empty(); }
  const std::string& syntax() const { return syntax_; }  // the first mistake
  void fail(std::string message);
  // Fails with what stands here; `understood` says what could.
  void unexpected(std::string_view understood);

  // The next character that is no blank; '\0' at the end.
  char peek();
  bool accept(std::string_view token);
  // The first of the operators that stands here, longer ones listed first; empty if none does.
  template <std::size_t N>
  std::string_view accept_one(const std::array<std::string_view, N>& tokens) {
    for (const std::string_view token : tokens)
      if (accept(token)) return token;
    return {};
  }
  bool accept_word(std::string_view word);
  static bool is_name(char c);
  std::string_view rest() const { return text_.substr(at_); }
  void skip(std::size_t characters) { at_ += characters; }

  // Counts what is nested while it lives.
  struct Nested {
    explicit Nested(ExpressionScanner& scanner);
    ~Nested() { --scanner.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ExpressionScanner& scanner;
  };

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int most_nested_, depth_ = 0;
  std::string syntax_;
};

// sum: term {(+|-) term}; product: sign {(*|/|//|%) sign}; sign: {-|+} power; power: operand [** sign]. A grammar says
// what a term, an operand, zero and an operation are; its own sign() may know more signs.
template <class Grammar, class Value>
class ArithmeticParser : protected ExpressionScanner {
 protected:
  using ExpressionScanner::ExpressionScanner;

  Value sum() {
    Value value = grammar().term();
    while (!broken()) {
      const std::string_view op = accept("+") ? "+" : accept("-") ? "-" : "";
      if (op.empty()) break;
      value = grammar().operate(op, value, grammar().term());
    }
    return value;
  }

  Value product() {
    Value value = grammar().sign();
    while (!broken()) {
      peek();
      if (rest().starts_with("**")) break;
      const std::string_view op = accept("//") ? "//" : accept("*") ? "*" : accept("/") ? "/" : accept("%") ? "%" : "";
      if (op.empty()) break;
      value = grammar().operate(op, value, grammar().sign());
    }
    return value;
  }

  Value sign() {
    const Nested nested(*this);
    bool negative = false;
    for (; !broken(); negative = !negative) {
      while (accept("+")) {
      }
      if (!accept("-")) break;
    }
    if (broken()) return grammar().zero();
    Value value = grammar().operand();
    if (!broken() && accept("**")) value = grammar().operate("**", value, sign());
    return negative ? grammar().operate("-", grammar().zero(), value) : value;
  }

 private:
  Grammar& grammar() { return static_cast<Grammar&>(*this); }
};

}  // namespace heliolite

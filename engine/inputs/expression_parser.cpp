#include "engine/inputs/expression_parser.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {

Result<double> arithmetic(std::string_view op, double x, double y) {
  if ((op == "/" || op == "//" || op == "%") && y == 0) return Diagnostic{"", 0, "", "division by zero"};
  double value = 0;
  if (op == "+") value = x + y;
  else if (op == "-") value = x - y;
  else if (op == "*") value = x * y;
  else if (op == "/") value = x / y;
  else if (op == "//") value = std::floor(x / y);
  else if (op == "%") value = x - y * std::floor(x / y);
  else value = std::pow(x, y);
  if (!std::isfinite(value)) return Diagnostic{"", 0, "", "the value is not finite"};
  return value;
}

ExpressionScanner::ExpressionScanner(std::string_view text, int most_nested) : text_(text), most_nested_(most_nested) {}

void ExpressionScanner::fail(std::string message) {
  if (syntax_.empty()) syntax_ = std::move(message);
  at_ = text_.size();
}

void ExpressionScanner::unexpected(std::string_view understood) {
  fail(at_ < text_.size() ? fmt::format("unexpected '{}' at character {}; understood are {}",
                                        shortened(text_.substr(at_, 20)), at_ + 1, understood)
                          : std::string("the expression ends too early"));
}

char ExpressionScanner::peek() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
    ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool ExpressionScanner::accept(std::string_view token) {
  peek();
  if (!rest().starts_with(token)) return false;
  at_ += token.size();
  return true;
}

bool ExpressionScanner::accept_word(std::string_view word) {
  peek();
  const std::size_t end = at_ + word.size();
  if (!rest().starts_with(word) || (end < text_.size() && is_name(text_[end]))) return false;
  at_ = end;
  return true;
}

bool ExpressionScanner::is_name(char c) { return is_letter(c) || is_digit(c); }

ExpressionScanner::Nested::Nested(ExpressionScanner& owner) : scanner(owner) {
  if (++scanner.depth_ > scanner.most_nested_)
    scanner.fail(fmt::format("nested deeper than {} levels", scanner.most_nested_));
}

}  // namespace heliolite

// Reads affine expressions and conditions of C.
#include "engine/program/c_reader.h"

#include <array>

#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::array<std::string_view, 6> kComparisons{"<", "<=", ">", ">=", "==", "!="};
// Every alternative may double what isl has to look at.
constexpr int kMaxAlternatives = 8;

bool is_comparison(const CToken& token) {
  return std::find(kComparisons.begin(), kComparisons.end(), token.text) != kComparisons.end();
}

// 12, 12L, 12u.
std::optional<i64> whole_number(std::string_view text) {
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  const auto value = text.size() > 1 && text[0] == '0' ? std::nullopt : parse_number<i64>(text);
  return value;
}

}  // namespace

std::string bound_name(std::string_view name) {
  constexpr std::string_view kPrefix = "_PB_";
  return std::string(name.starts_with(kPrefix) && name.size() > kPrefix.size() ? name.substr(kPrefix.size()) : name);
}

void AffineReader::refuse(int line, const std::string& message) {
  if (!wrong_) cursor_.complain(line, message);
  wrong_ = true;
}

AffineForm AffineReader::checked(const std::optional<AffineForm>& form, int line) {
  if (!form) refuse(line, "a number beyond " + std::to_string(kMaxAffineCoefficient) + " in a subscript or bound");
  return form.value_or(AffineForm{});
}

AffineForm AffineReader::expression() {
  wrong_ = false;
  const AffineForm form = sum_of_products();
  if (!wrong_) return form;
  // To the end of it: brackets in it are closed first.
  for (int open = 0; !cursor_.at_end(); cursor_.next()) {
    const std::string_view word = cursor_.peek().text;
    if (open == 0 && (word == "]" || word == ")" || word == ";" || is_comparison(cursor_.peek()))) break;
    if (word == "[" || word == "(") ++open;
    if (word == "]" || word == ")") --open;
    if (word == "{" || word == "}") break;
  }
  return {};
}

AffineForm AffineReader::sum_of_products() {
  const CCursor::Nested nested(cursor_);
  AffineForm total = product();
  while (!wrong_ && (cursor_.is("+") || cursor_.is("-"))) {
    const CToken sign = cursor_.next();
    const AffineForm next = product();
    if (wrong_) break;
    const auto signed_next = sign.is("-") ? scaled(next, -1) : next;
    total = checked(signed_next ? sum(total, *signed_next) : std::nullopt, sign.line);
  }
  return total;
}

AffineForm AffineReader::product() {
  const std::size_t begin = cursor_.position();
  AffineForm total = factor();
  while (!wrong_ && (cursor_.is("*") || cursor_.is("/") || cursor_.is("%"))) {
    if (!cursor_.is("*")) {
      total = divided(total, begin);
      continue;
    }
    const int line = cursor_.next().line;
    const AffineForm next = factor();
    if (wrong_) break;
    if (!total.is_constant() && !next.is_constant()) {
      refuse(line, "'" + cursor_.text_from(begin) + "' is not affine: one factor of a product must be a number");
      break;
    }
    total = checked(total.is_constant() ? scaled(next, total.constant) : scaled(total, next.constant), line);
  }
  return total;
}

// The quotient or remainder that follows.
AffineForm AffineReader::divided(const AffineForm& form, std::size_t begin) {
  const CToken sign = cursor_.next();
  const AffineForm by = factor();
  if (wrong_) return {};
  const std::string text = cursor_.text_from(begin);
  if (!by.is_constant() || by.constant < 1) {
    refuse(sign.line, "'" + text + "' is not affine: '" + std::string(sign.text) + "' takes a number above 0");
    return {};
  }
  if (!form.is_constant() && by.constant > 1) {
    std::string condition = "true";
    for (const std::string& known : known_) condition += " and " + known;
    divisions_.push_back({form.to_string(), condition, text, sign.line});
  }
  return sign.is("/") ? quotient(form, by.constant) : remainder(form, by.constant);
}

AffineForm AffineReader::factor() {
  const CCursor::Nested nested(cursor_);
  const CToken token = cursor_.peek();
  if (cursor_.accept("-")) return checked(scaled(factor(), -1), token.line);
  if (cursor_.accept("+")) return factor();
  if (cursor_.accept("(")) {
    const AffineForm inner = sum_of_products();
    if (!wrong_) cursor_.expect(")", "in a subscript or bound");
    return inner;
  }
  if (token.kind == CTokenKind::number) {
    cursor_.next();
    const std::optional<i64> value = whole_number(token.text);
    if (!value) refuse(token.line, "'" + std::string(token.text.substr(0, 40)) + "' is no whole number");
    return checked(
        value && std::abs(*value) <= kMaxAffineCoefficient ? std::optional(AffineForm{{}, *value}) : std::nullopt,
        token.line);
  }
  if (token.kind == CTokenKind::name) {
    cursor_.next();
    const std::string name = bound_name(token.text);
    if (cursor_.is("[") || cursor_.is("(") || cursor_.is(".") || cursor_.is("->")) {
      refuse(token.line, "'" + name + std::string(cursor_.peek().text) +
                             "..' is not affine: allowed are loop indices, " + "parameters and whole numbers");
      return {};
    }
    named_(name, token.line);
    return affine_name(name);
  }
  if (!cursor_.stopped() && !wrong_) cursor_.stop("expected a subscript or bound, found " + cursor_.found());
  wrong_ = true;
  return {};
}

std::string AffineReader::condition() {
  const CCursor::Nested nested(cursor_);
  if (nested_conditions_++ == 0) alternatives_ = 0;
  std::string text = conjunction();
  while (cursor_.accept("||")) {
    ++alternatives_;
    text += " or " + conjunction();
  }
  if (--nested_conditions_ == 0 && alternatives_ > kMaxAlternatives)
    cursor_.complain(cursor_.peek().line, "a condition with " + std::to_string(alternatives_) +
                                              " alternatives (||, !=, !); at most " + std::to_string(kMaxAlternatives) +
                                              " are allowed");
  return "(" + text + ")";
}

std::string AffineReader::conjunction() {
  const std::size_t before = known_.size();
  std::string text = atom();
  known_.push_back(text);
  while (cursor_.accept("&&")) {
    known_.push_back(atom());
    text += " and " + known_.back();
  }
  known_.resize(before);
  return text;
}

std::string AffineReader::atom() {
  const CCursor::Nested nested(cursor_);
  if (cursor_.accept("!")) {
    ++alternatives_;
    return "(not " + atom() + ")";
  }
  if (!cursor_.is("(") || !bracket_is_condition()) return comparison();
  cursor_.next();
  const std::string inner = condition();
  cursor_.expect(")", "after a condition");
  return inner;
}

// Whether what the bracket here holds compares: (i < j) && .., not (i + 1) < j.
bool AffineReader::bracket_is_condition() const {
  int open = 0;
  for (std::size_t k = 0; cursor_.peek(k).kind != CTokenKind::end; ++k) {
    const CToken& token = cursor_.peek(k);
    if (token.is("(")) ++open;
    if (token.is(")") && --open == 0) return false;
    if (is_comparison(token) || token.is("!")) return true;
  }
  return false;
}

std::string AffineReader::comparison() {
  const AffineForm left = expression();
  const CToken sign = cursor_.peek();
  if (!is_comparison(sign)) {
    cursor_.stop("expected a comparison, found " + cursor_.found());
    return "(false)";
  }
  cursor_.next();
  const AffineForm right = expression();
  if (is_comparison(cursor_.peek())) cursor_.stop("a comparison of a comparison: " + cursor_.found());
  if (sign.is("!=")) ++alternatives_;
  const std::string text = sign.is("==") ? "=" : std::string(sign.text);
  return "(" + left.to_string() + " " + text + " " + right.to_string() + ")";
}

}  // namespace heliolite

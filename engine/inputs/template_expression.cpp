#include "engine/inputs/template_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "engine/inputs/template_filters.h"
#include "engine/inputs/template_operations.h"

namespace heliolite {
namespace {

constexpr int kMaxTemplateNesting = 32;
constexpr std::size_t kMaxTemplateExpression = 4096;  // characters

using Value = Result<TemplateValue>;

Diagnostic clause(std::string message) { return {"", 0, "", std::move(message)}; }

// What a name without a value is an error for: everything but `default` and `is defined`.
std::optional<Diagnostic> missing(const TemplateValue& value, const TemplateNames& names) {
  const auto* name = std::get_if<Undefined>(&value);
  if (name == nullptr) return std::nullopt;
  std::vector<std::string> known;
  for (const auto& [key, _] : names) known.push_back(key);
  return clause(fmt::format("'{0}' has no value: give it with --define {0}=VALUE{1}", shortened(name->name),
                            did_you_mean(name->name, known)));
}

// Recursive descent. All parts are evaluated, those of a branch that is not taken too, whose errors are then dropped;
// after the first mistake of syntax every step returns it.
class TemplateParser {
 public:
  TemplateParser(std::string_view text, const TemplateNames& names, const TemplateCall& call)
      : text_(text), names_(names), call_(call) {}

  Value run() {
    if (text_.size() > kMaxTemplateExpression)
      return clause(fmt::format("expression longer than {} characters", kMaxTemplateExpression));
    Value value = choice();
    if (peek() != '\0') unexpected();
    if (!syntax_.empty()) return clause(syntax_);
    return value;
  }

 private:
  void fail(std::string message) {
    if (syntax_.empty()) syntax_ = std::move(message);
    at_ = text_.size();
  }
  void unexpected() {
    fail(at_ < text_.size()
             ? fmt::format("'{}' is not understood here; templates know numbers, 'texts', names, ~ + - * / // % **, "
                           "comparisons, and, or, not, x if c else y, is defined, functions and filters",
                           shortened(text_.substr(at_, 20)))
             : std::string("the expression ends too early"));
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view token) {
    peek();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  // The first of the operators that stands here; longer ones are listed first.
  template <std::size_t N>
  std::string_view accept_one(const std::array<std::string_view, N>& tokens) {
    for (const std::string_view token : tokens)
      if (accept(token)) return token;
    return {};
  }
  bool accept_word(std::string_view word) {
    peek();
    const std::size_t end = at_ + word.size();
    if (text_.substr(at_, word.size()) != word || (end < text_.size() && is_name(text_[end]))) return false;
    at_ = end;
    return true;
  }
  static bool is_name(char c) { return is_letter(c) || is_digit(c); }

  // A value that an operation needs: with errors for names without one, and for included texts.
  Value needed(Value value) const {
    if (!value) return value;
    if (const auto error = missing(*value, names_)) return *error;
    if (std::holds_alternative<std::shared_ptr<const RenderedText>>(*value))
      return clause("what include_text() gives can only be put out as it is");
    return value;
  }
  template <class Operation>
  Value combine(const Value& a, const Value& b, Operation operation) const {
    const Value left = needed(a);
    const Value right = needed(b);
    if (!left) return left;
    if (!right) return right;
    return operation(*left, *right);
  }

  Value choice() {
    if (++depth_ > kMaxTemplateNesting) fail(fmt::format("nested deeper than {} levels", kMaxTemplateNesting));
    Value value = syntax_.empty() ? either() : Value(TemplateValue{});
    if (accept_word("if")) {
      const Value condition = needed(either());
      Value other = TemplateValue{Undefined{"the missing 'else'"}};
      if (accept_word("else")) other = choice();
      if (!condition) value = condition;
      else if (!is_true(*condition)) value = other;
    }
    --depth_;
    return value;
  }

  Value either() {
    Value value = both();
    while (syntax_.empty() && accept_word("or")) {
      const Value right = both();
      const Value left = needed(value);
      value = left && is_true(*left) ? left : left ? right : left;
    }
    return value;
  }
  Value both() {
    Value value = negation();
    while (syntax_.empty() && accept_word("and")) {
      const Value right = negation();
      const Value left = needed(value);
      value = left && is_true(*left) ? right : left;
    }
    return value;
  }
  Value negation() {
    int count = 0;
    while (accept_word("not")) ++count;
    Value value = comparison();
    if (count == 0) return value;
    value = needed(value);
    if (!value) return value;
    return TemplateValue{is_true(*value) == (count % 2 == 0)};
  }

  Value comparison() {
    static constexpr std::array<std::string_view, 6> kOperators{"==", "!=", "<=", ">=", "<", ">"};
    Value value = sum();
    for (std::string_view op = accept_one(kOperators); !op.empty() && syntax_.empty(); op = accept_one(kOperators)) {
      const Value right = sum();
      value = combine(value, right,
                      [&](const TemplateValue& a, const TemplateValue& b) { return template_comparison(op, a, b); });
    }
    return value;
  }

  Value sum() {
    Value value = concatenation();
    while (syntax_.empty()) {
      const std::string_view op = accept("+") ? "+" : accept("-") ? "-" : "";
      if (op.empty()) break;
      value = operate(op, value, concatenation());
    }
    return value;
  }
  Value concatenation() {
    Value value = product();
    while (syntax_.empty() && accept("~")) value = operate("~", value, product());
    return value;
  }
  Value product() {
    Value value = sign();
    while (syntax_.empty()) {
      peek();
      if (text_.substr(at_, 2) == "**") break;
      const std::string_view op = accept("//") ? "//" : accept("*") ? "*" : accept("/") ? "/" : accept("%") ? "%" : "";
      if (op.empty()) break;
      value = operate(op, value, sign());
    }
    return value;
  }
  Value sign() {
    if (++depth_ > kMaxTemplateNesting) fail(fmt::format("nested deeper than {} levels", kMaxTemplateNesting));
    Value value = TemplateValue{};
    if (!syntax_.empty()) value = TemplateValue{};
    else if (accept("-")) value = operate("-", TemplateValue{i64{0}}, sign());
    else if (accept("+")) value = sign();
    else value = power();
    --depth_;
    return value;
  }
  Value power() {
    Value value = tested();
    if (syntax_.empty() && accept("**")) value = operate("**", value, sign());
    return value;
  }
  Value operate(std::string_view op, const Value& a, const Value& b) const {
    return combine(a, b, [&](const TemplateValue& x, const TemplateValue& y) { return template_arithmetic(op, x, y); });
  }

  // Filters and tests behind a value.
  Value tested() {
    Value value = atom();
    while (syntax_.empty()) {
      if (accept("|")) value = filtered(value);
      else if (accept_word("is")) value = test(value);
      else break;
    }
    return value;
  }

  Value filtered(const Value& value) {
    const std::string name = word();
    std::vector<TemplateValue> arguments;
    const Value bad = peek() == '(' ? read_arguments(arguments) : Value(TemplateValue{});
    if (!syntax_.empty() || !value) return value;
    if (!bad) return bad;
    if (name == "default" || name == "d") return filter_default(*value, arguments);
    const Value given = needed(value);
    return given ? filter(name, *given, arguments) : given;
  }

  Value test(const Value& value) {
    const bool negated = accept_word("not");
    bool holds = false;
    if (accept_word("defined")) holds = value && !std::holds_alternative<Undefined>(*value);
    else if (accept_word("undefined")) holds = value && std::holds_alternative<Undefined>(*value);
    else if (accept_word("none")) holds = value && std::holds_alternative<NoValue>(*value);
    else unexpected();
    if (!value) return value;
    return TemplateValue{holds != negated};
  }

  std::string word() {
    peek();
    const std::size_t first = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == first) unexpected();
    return std::string(text_.substr(first, at_ - first));
  }

  Value atom() {
    const char c = peek();
    if (accept("(")) {
      Value value = choice();
      if (!accept(")")) unexpected();
      return value;
    }
    if (c == '\'' || c == '"') return quoted(c);
    if (is_digit(c) || c == '.') return number();
    if (!is_letter(c)) {
      unexpected();
      return TemplateValue{};
    }
    const std::string name = word();
    if (peek() == '(') return called(name);
    const std::string small = lower(name);
    if (small == "true" || small == "false") return TemplateValue{small == "true"};
    if (small == "none") return TemplateValue{NoValue{}};
    const auto it = names_.find(name);
    return it == names_.end() ? TemplateValue{Undefined{name}} : it->second;
  }

  Value quoted(char quote) {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_];
    }
    if (at_ >= text_.size()) {
      fail(fmt::format("the {} opened here is never closed", quote));
    } else {
      ++at_;
    }
    return TemplateValue{out};
  }

  Value number() {
    std::size_t end = at_;
    while (end < text_.size() && (is_name(text_[end]) || text_[end] == '.' ||
                                  ((text_[end] == '-' || text_[end] == '+') && lower(text_.substr(end - 1, 1)) == "e")))
      ++end;
    const TemplateValue value = template_value(std::string(text_.substr(at_, end - at_)));
    if (!template_number(value)) unexpected();
    else at_ = end;
    return value;
  }

  // The values between parentheses; an error if one of them has none.
  Value read_arguments(std::vector<TemplateValue>& arguments) {
    accept("(");
    Value bad = TemplateValue{};
    while (syntax_.empty() && peek() != ')') {
      const Value value = needed(choice());
      if (value) arguments.push_back(*value);
      else if (bad) bad = value;
      if (!accept(",") && peek() != ')') unexpected();
    }
    if (!accept(")")) unexpected();
    return bad;
  }

  Value called(const std::string& name) {
    std::vector<TemplateValue> arguments;
    const Value bad = read_arguments(arguments);
    if (!syntax_.empty() || !bad) return bad;
    CallResult result = call_(name, arguments);
    if (!result.known)
      return clause(
          fmt::format("{}() is not a function of templates; understood are include, include_all, "
                      "include_text, path_exists, find_path, add_to_path and cwd",
                      shortened(name)));
    return result.value;
  }

  std::string_view text_;
  const TemplateNames& names_;
  const TemplateCall& call_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string syntax_;  // the first mistake of syntax
};

}  // namespace

Result<TemplateValue> evaluate_template(std::string_view text, const TemplateNames& names, const TemplateCall& call) {
  Value value = TemplateParser(text, names, call).run();
  if (value)
    if (const auto error = missing(*value, names)) return *error;
  return value;
}

}  // namespace heliolite

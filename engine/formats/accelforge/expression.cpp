#include "engine/formats/accelforge/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "engine/base/text.h"
#include "engine/inputs/expression_parser.h"

namespace heliolite::accelforge {
namespace {

constexpr int kMaxNesting = 32;
constexpr std::size_t kMaxExpression = 4096;  // characters
constexpr std::string_view kUnderstood =
    "names of tensors, numbers, ~ & | - of sets, arithmetic, comparisons, and, or, not, x if c else y, and len min max "
    "ceil floor round int float abs sqrt log2";

using Value = Result<ExpressionValue>;

Diagnostic problem(std::string message) { return {"", 0, "", std::move(message)}; }

bool holds(const ExpressionValue& value) {
  const auto* set = std::get_if<NameSet>(&value);
  return set != nullptr ? !set->empty() : std::get<double>(value) != 0;
}

// All parts are evaluated; errors of a branch that is not taken are dropped.
class SetParser : private ArithmeticParser<SetParser, Value> {
 public:
  SetParser(std::string_view text, const ExpressionScope& scope)
      : ArithmeticParser(text, kMaxNesting), length_(text.size()), scope_(scope) {}

  Value run() {
    if (length_ > kMaxExpression) return problem(fmt::format("longer than {} characters", kMaxExpression));
    Value value = choice();
    if (peek() != '\0') unexpected(kUnderstood);
    if (broken()) return problem(syntax());
    return value;
  }

 private:
  friend class ArithmeticParser<SetParser, Value>;

  static Value truth(bool is) { return ExpressionValue{is ? 1.0 : 0.0}; }

  Value choice() {
    const Nested nested(*this);
    Value value = broken() ? truth(false) : either();
    if (broken() || !accept_word("if")) return value;
    const Value condition = either();
    if (!accept_word("else")) unexpected("else");
    const Value other = choice();
    if (!condition) return condition;
    return holds(*condition) ? value : other;
  }

  Value either() {
    Value value = both();
    while (!broken() && accept_word("or")) {
      const Value right = both();
      if (value && !holds(*value)) value = right;
    }
    return value;
  }
  Value both() {
    Value value = negation();
    while (!broken() && accept_word("and")) {
      const Value right = negation();
      if (value && holds(*value)) value = right;
    }
    return value;
  }
  Value negation() {
    int count = 0;
    while (accept_word("not")) ++count;
    Value value = comparison();
    if (count == 0 || !value) return value;
    return truth(holds(*value) == (count % 2 == 0));
  }

  Value comparison() {
    static constexpr std::array<std::string_view, 6> kOperators{"==", "!=", "<=", ">=", "<", ">"};
    Value value = unions();
    for (std::string_view op = accept_one(kOperators); !op.empty() && !broken(); op = accept_one(kOperators)) {
      const Value right = unions();
      if (!value) return value;
      if (!right) return right;
      value = compare(op, *value, *right);
    }
    return value;
  }
  static Value compare(std::string_view op, const ExpressionValue& a, const ExpressionValue& b) {
    if (a.index() != b.index()) return problem(fmt::format("'{}' between a set and a number", op));
    if (op == "==") return truth(a == b);
    if (op == "!=") return truth(a != b);
    const auto* x = std::get_if<double>(&a);
    const auto* y = std::get_if<double>(&b);
    if (x == nullptr || y == nullptr) return problem(fmt::format("'{}' between sets", op));
    return truth(op == "<" ? *x < *y : op == ">" ? *x > *y : op == "<=" ? *x <= *y : *x >= *y);
  }

  Value unions() {
    Value value = intersections();
    while (!broken() && accept("|")) value = of_sets("|", value, intersections());
    return value;
  }
  Value intersections() {
    Value value = sum();
    while (!broken() && accept("&")) value = of_sets("&", value, sum());
    return value;
  }
  // A term of a sum; between two of them - is of sets, too.
  Value term() { return product(); }
  static Value operate(std::string_view op, const Value& a, const Value& b) {
    const bool sets = op == "-" && a && std::holds_alternative<NameSet>(*a);
    return sets ? of_sets(op, a, b) : of_numbers(op, a, b);
  }
  Value sign() {
    const Nested nested(*this);
    if (broken()) return truth(false);
    if (accept("-")) return of_numbers("-", ExpressionValue{0.0}, sign());
    if (accept("+")) return sign();
    if (accept("~")) return of_sets("-", ExpressionValue{scope_.all}, sign());
    Value value = atom();
    if (!broken() && accept("**")) value = of_numbers("**", value, sign());
    return value;
  }

  static Value of_sets(std::string_view op, const Value& a, const Value& b) {
    if (!a) return a;
    if (!b) return b;
    const auto* x = std::get_if<NameSet>(&*a);
    const auto* y = std::get_if<NameSet>(&*b);
    if (x == nullptr || y == nullptr) return problem("~ & | are of sets of tensors");
    NameSet out;
    const auto into = std::inserter(out, out.end());
    if (op == "|") std::ranges::set_union(*x, *y, into);
    else if (op == "&") std::ranges::set_intersection(*x, *y, into);
    else std::ranges::set_difference(*x, *y, into);
    return ExpressionValue{std::move(out)};
  }
  static Value of_numbers(std::string_view op, const Value& a, const Value& b) {
    if (!a) return a;
    if (!b) return b;
    const auto* x = std::get_if<double>(&*a);
    const auto* y = std::get_if<double>(&*b);
    if (x == nullptr || y == nullptr) return problem(fmt::format("'{}' needs two numbers", op));
    const Result<double> value = arithmetic(op, *x, *y);
    if (!value) return value.errors();
    return ExpressionValue{*value};
  }

  Value atom() {
    const char c = peek();
    if (accept("(")) {
      Value value = choice();
      if (!accept(")")) unexpected(kUnderstood);
      return value;
    }
    if (is_digit(c) || c == '.') return number();
    if (!is_letter(c)) {
      unexpected(kUnderstood);
      return truth(false);
    }
    const std::string name = word();
    if (accept("(")) return called(name);
    if (name == "inf") return ExpressionValue{std::numeric_limits<double>::infinity()};
    if (name == "True" || name == "true") return truth(true);
    if (name == "False" || name == "false") return truth(false);
    return named(name);
  }

  Value named(const std::string& name) const {
    if (const auto found = scope_.names.find(name); found != scope_.names.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [key, _] : scope_.names) known.push_back(key);
    return problem(fmt::format("'{}' has no value here{}", shortened(name), did_you_mean(name, known)));
  }

  // A name, with its attributes.
  std::string word() {
    const std::string_view text = rest();
    std::size_t length = 0;
    while (length < text.size() && (is_name(text[length]) || text[length] == '.')) ++length;
    skip(length);
    return std::string(text.substr(0, length));
  }

  Value number() {
    const std::string_view text = rest();
    std::size_t end = 0;
    const auto exponent = [&] { return end > 0 && (text[end - 1] == 'e' || text[end - 1] == 'E'); };
    while (end < text.size() &&
           (is_name(text[end]) || text[end] == '.' || ((text[end] == '-' || text[end] == '+') && exponent())))
      ++end;
    const std::optional<double> value = parse_number<double>(text.substr(0, end));
    if (!value) unexpected(kUnderstood);
    else skip(end);
    return ExpressionValue{value.value_or(0)};
  }

  Value called(const std::string& name) {
    std::vector<Value> arguments;
    while (!broken() && peek() != ')') {
      arguments.push_back(choice());
      if (!accept(",") && peek() != ')') unexpected(kUnderstood);
    }
    if (!accept(")")) unexpected(kUnderstood);
    for (const Value& argument : arguments)
      if (!argument) return argument;
    if (arguments.empty()) return named(name);  // "Inputs()", as older files have it
    if (name == "len" && arguments.size() == 1) {
      const auto* set = std::get_if<NameSet>(&*arguments[0]);
      if (set != nullptr) return ExpressionValue{static_cast<double>(set->size())};
    }
    std::vector<double> numbers;
    for (const Value& argument : arguments)
      if (const auto* number = std::get_if<double>(&*argument)) numbers.push_back(*number);
    if (numbers.size() != arguments.size()) return problem(fmt::format("{}() is not of sets", shortened(name)));
    if (name == "min") return ExpressionValue{std::ranges::min(numbers)};
    if (name == "max") return ExpressionValue{std::ranges::max(numbers)};
    if (numbers.size() == 1) {
      const double x = numbers[0];
      if (name == "ceil") return ExpressionValue{std::ceil(x)};
      if (name == "floor") return ExpressionValue{std::floor(x)};
      if (name == "round") return ExpressionValue{std::nearbyint(x)};
      if (name == "int") return ExpressionValue{std::trunc(x)};
      if (name == "float") return ExpressionValue{x};
      if (name == "abs") return ExpressionValue{std::abs(x)};
      if (name == "sqrt" && x >= 0) return ExpressionValue{std::sqrt(x)};
      if (name == "log2" && x > 0) return ExpressionValue{std::log2(x)};
    }
    return problem(fmt::format("{}() is not understood with {} value{}", shortened(name), numbers.size(),
                               numbers.size() == 1 ? "" : "s"));
  }

  std::size_t length_;
  const ExpressionScope& scope_;
};

}  // namespace

Result<ExpressionValue> evaluate_expression(std::string_view text, const ExpressionScope& scope) {
  return SetParser(text, scope).run();
}

Result<NameSet> evaluate_set(std::string_view text, const ExpressionScope& scope) {
  const Value value = evaluate_expression(text, scope);
  if (!value) return value.errors();
  if (const auto* set = std::get_if<NameSet>(&*value)) return *set;
  return problem("must be a set of tensors");
}

Result<double> evaluate_number(std::string_view text, const ExpressionScope& scope) {
  const Value value = evaluate_expression(text, scope);
  if (!value) return value.errors();
  if (const auto* number = std::get_if<double>(&*value)) return *number;
  return problem("must be a number");
}

}  // namespace heliolite::accelforge

// Expressions of templates: a documented part of Jinja's, without maps and attributes.
#include "engine/base/mapped.h"
#include "engine/inputs/template_render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/inputs/expression_parser.h"

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
  return clause(fmt::format("'{0}' has no value: give it with --define {0}=VALUE{1}", shortened(name->name),
                            did_you_mean(name->name, keys_of(names))));
}

constexpr std::string_view kTemplatesKnow =
    "numbers, 'texts', [lists], names, ~ + - * / // % **, comparisons, in, and, or, not, x if c else y, is defined, "
    "functions and filters";

// All parts are evaluated, those of a branch that is not taken too, whose errors are then dropped.
class TemplateParser : public ArithmeticParser<TemplateParser, Value> {
 public:
  TemplateParser(std::string_view text, const TemplateNames& names, const TemplateCall& call)
      : ArithmeticParser(text, kMaxTemplateNesting), length_(text.size()), names_(names), call_(call) {}

  Value run() {
    if (length_ > kMaxTemplateExpression)
      return clause(fmt::format("expression longer than {} characters", kMaxTemplateExpression));
    Value value = choice();
    if (peek() != '\0') unexpected();
    if (broken()) return clause(syntax());
    return value;
  }

 private:
  friend class ArithmeticParser<TemplateParser, Value>;

  void unexpected() { ExpressionScanner::unexpected(kTemplatesKnow); }

  static Value zero() { return TemplateValue{i64{0}}; }
  // Texts are joined before numbers are added.
  Value term() {
    Value value = product();
    while (!broken() && accept("~")) value = operate("~", value, product());
    return value;
  }
  Value operate(std::string_view op, const Value& a, const Value& b) const {
    return combine(a, b, [&](const TemplateValue& x, const TemplateValue& y) { return template_arithmetic(op, x, y); });
  }

  // A value that an operation needs: with errors for names without one, and for included texts.
  Value needed(Value value) const {
    if (!value) return value;
    if (const auto error = missing(*value, names_)) return *error;
    if (std::holds_alternative<std::shared_ptr<const RenderedText>>(*value))
      return clause("what include_text() gives can only be put out, as it is or indented");
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
    const Nested nested(*this);
    Value value = !broken() ? either() : Value(TemplateValue{});
    if (accept_word("if")) {
      const Value condition = needed(either());
      Value other = TemplateValue{Undefined{"the missing 'else'"}};
      if (accept_word("else")) other = choice();
      if (!condition) value = condition;
      else if (!is_true(*condition)) value = other;
    }
    return value;
  }

  Value either() {
    Value value = both();
    while (!broken() && accept_word("or")) {
      const Value right = both();
      const Value left = needed(value);
      value = left && is_true(*left) ? left : left ? right : left;
    }
    return value;
  }
  Value both() {
    Value value = negation();
    while (!broken() && accept_word("and")) {
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
    for (std::string_view op = accept_one(kOperators); !op.empty() && !broken(); op = accept_one(kOperators)) {
      const Value right = sum();
      value = combine(value, right,
                      [&](const TemplateValue& a, const TemplateValue& b) { return template_comparison(op, a, b); });
    }
    const bool negated = !broken() && accept_words("not", "in");
    if (!broken() && (negated || accept_word("in"))) {
      const Value has = combine(value, sum(), [](const TemplateValue& item, const TemplateValue& list) {
        return template_contains(item, list);
      });
      value = has ? Value(TemplateValue{is_true(*has) != negated}) : has;
    }
    return value;
  }

  // Filters and tests behind a value.
  Value operand() {
    Value value = atom();
    while (!broken()) {
      if (accept("|")) value = filtered(value);
      else if (accept("[")) value = indexed(value);
      else if (accept(".items()")) value = items_of(value);
      else if (accept_word("is")) value = test(value);
      else break;
    }
    return value;
  }

  Value filtered(const Value& value) {
    const std::string name = word();
    std::vector<TemplateValue> arguments;
    const Value bad = peek() == '(' ? read_arguments(name, arguments) : Value(TemplateValue{});
    if (broken() || !value) return value;
    if (!bad) return bad;
    if (name == "default" || name == "d") return filter_default(*value, arguments);
    // Only this one keeps the lines of an included text.
    const bool keeps_lines = name == "indent" && std::holds_alternative<std::shared_ptr<const RenderedText>>(*value);
    const Value given = keeps_lines ? value : needed(value);
    return given ? filter(name, *given, arguments) : given;
  }

  Value indexed(const Value& value) {
    const Value index = needed(choice());
    if (!accept("]")) unexpected();
    const Value list = needed(value);
    if (broken() || !list) return list;
    if (!index) return index;
    const TemplateList* items = template_list(*list);
    const auto* number = std::get_if<i64>(&*index);
    if (items == nullptr || number == nullptr) return clause("[..] needs a list and an integer");
    const i64 size = static_cast<i64>(items->items.size());
    const i64 at_item = *number < 0 ? *number + size : *number;
    if (at_item < 0 || at_item >= size) return clause(fmt::format("[{}] of a list of {}", *number, size));
    return items->items[at_item];
  }

  // A map is a list of pairs, of which only the empty one can be made.
  Value items_of(const Value& value) const {
    const Value list = needed(value);
    if (list && template_list(*list) == nullptr) return clause(".items() needs a map, as dict() makes it");
    return list;
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
    const std::string_view text = rest();
    const std::size_t length = at(std::find_if_not(text.begin(), text.end(), is_name) - text.begin());
    if (length == 0) unexpected();
    else skip(length);
    return std::string(text.substr(0, length));
  }

  Value atom() {
    const char c = peek();
    if (accept("[")) return listed("]", {});
    if (accept("(")) {
      Value value = choice();
      if (accept(",")) return listed(")", {needed(value)});
      if (!accept(")")) unexpected();
      return value;
    }
    if (c == '\'' || c == '"') return quoted(c);
    if (is_digit(c) || c == '.') return number();
    if (!is_letter(c)) {
      unexpected();
      return TemplateValue{};
    }
    std::string name = word();
    if (const std::size_t dotted = dotted_length(name); dotted > 0) {
      name += rest().substr(0, dotted);
      skip(dotted);
    }
    if (peek() == '(') return called(name);
    const std::string small = lower(name);
    if (small == "true" || small == "false") return TemplateValue{small == "true"};
    if (small == "none") return TemplateValue{NoValue{}};
    const auto it = names_.find(name);
    return it == names_.end() ? TemplateValue{Undefined{name}} : it->second;
  }

  // The rest of a list, up to `closing`.
  Value listed(std::string_view closing, std::vector<Value> values) {
    const Nested nested(*this);
    while (!broken() && !rest_begins_with(closing)) {
      if (values.size() == kMaxTemplateList) fail(too_long());
      values.push_back(needed(choice()));
      if (!accept(",") && !rest_begins_with(closing)) unexpected();
    }
    if (!accept(closing)) unexpected();
    auto list = std::make_shared<TemplateList>();
    for (const Value& value : values) {
      if (!value) return value;
      if (!add_item(*list, *value)) return clause(too_long());
    }
    return TemplateValue{std::shared_ptr<const TemplateList>(std::move(list))};
  }
  static std::string too_long() {
    return fmt::format("a list of more than {} items, or of more than {} KiB of texts", kMaxTemplateList,
                       kMaxTemplateText >> 10);
  }
  bool rest_begins_with(std::string_view token) {
    peek();
    return rest().starts_with(token);
  }
  // Two words, one after the other; or neither of them.
  bool accept_words(std::string_view first, std::string_view second) {
    peek();
    const std::string_view text = rest();
    const std::size_t blanks = text.starts_with(first) ? text.find_first_not_of(" \t\r\n", first.size()) : 0;
    const bool both = blanks > first.size() && blanks != std::string_view::npos &&
                      text.substr(blanks).starts_with(second) &&
                      (text.size() == blanks + second.size() || !is_name(text[blanks + second.size()]));
    if (both) skip(blanks + second.size());
    return both;
  }

  // The length of ".index" behind "loop", if that is a name.
  std::size_t dotted_length(const std::string& name) const {
    const std::string_view text = rest();
    if (!text.starts_with('.')) return 0;
    const std::size_t length = at(std::find_if_not(text.begin() + 1, text.end(), is_name) - text.begin());
    return names_.contains(name + std::string(text.substr(0, length))) ? length : 0;
  }

  Value quoted(char quote) {
    std::string out;
    const std::string_view text = rest();
    std::size_t end = 1;
    for (; end < text.size() && text[end] != quote; ++end) {
      if (text[end] == '\\' && end + 1 < text.size()) ++end;
      out += text[end];
    }
    if (end >= text.size()) fail(fmt::format("the {} opened here is never closed", quote));
    else skip(end + 1);
    return TemplateValue{out};
  }

  Value number() {
    const std::string_view text = rest();
    std::size_t end = 0;
    while (end < text.size() && (is_name(text[end]) || text[end] == '.' ||
                                 ((text[end] == '-' || text[end] == '+') && lower(text.substr(end - 1, 1)) == "e")))
      ++end;
    const TemplateValue value = template_value(std::string(text.substr(0, end)));
    if (!template_number(value)) unexpected();
    else skip(end);
    return value;
  }

  // "width=" before the value that stands at that place of `owner`'s anyway.
  void skip_keyword(std::string_view owner, std::size_t place) {
    peek();
    const std::string_view text = rest();
    const std::size_t length = at(std::find_if_not(text.begin(), text.end(), is_name) - text.begin());
    const std::size_t equals = text.find_first_not_of(' ', length);
    if (length == 0 || is_digit(text.front()) || equals == std::string_view::npos || text[equals] != '=') return;
    if (text.substr(equals).starts_with("==")) return;
    const std::string_view keyword = text.substr(0, length);
    if (filter_keyword(owner, place) == keyword) skip(equals + 1);
    else
      fail(fmt::format("{}: '{}=' is not its value number {}: give values in their order", owner, keyword, place + 1));
  }

  // The values between parentheses; an error if one of them has none.
  Value read_arguments(std::string_view owner, std::vector<TemplateValue>& arguments) {
    accept("(");
    Value bad = TemplateValue{};
    while (!broken() && peek() != ')') {
      skip_keyword(owner, arguments.size());
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
    const Value bad = read_arguments(name, arguments);
    if (broken() || !bad) return bad;
    if (name == "range") return template_range(arguments);
    if (const auto value = template_function(name, arguments)) return *value;
    CallResult result = call_(name, arguments, names_);
    if (!result.known)
      return clause(
          fmt::format("{}() is not a function of templates; understood are include, include_all, include_text, "
                      "path_exists, find_path, add_to_path, cwd, range, max, min, ceil, floor and dict",
                      shortened(name)));
    return result.value;
  }

  std::size_t length_;
  const TemplateNames& names_;
  const TemplateCall& call_;
};

}  // namespace

Result<TemplateValue> evaluate_template(std::string_view text, const TemplateNames& names, const TemplateCall& call) {
  Value value = TemplateParser(text, names, call).run();
  if (value)
    if (const auto error = missing(*value, names)) return *error;
  return value;
}

}  // namespace heliolite

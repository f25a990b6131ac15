// Arithmetic, comparisons and filters of templates, as Python does them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/inputs/expression_parser.h"
#include "engine/inputs/template_render.h"

namespace heliolite {

void RenderedText::append(std::string_view more, const std::shared_ptr<const std::string>& file, int line, bool moves) {
  for (const char c : more) {
    if (text.empty() || text.back() == '\n') lines.push_back({file, line});
    text += c;
    if (c == '\n' && moves) ++line;
  }
}

void RenderedText::append(const RenderedText& more) {
  std::size_t begin = 0;
  for (const YamlLine& origin : more.lines) {
    const std::size_t end = std::min(more.text.find('\n', begin), more.text.size() - 1) + 1;
    append(std::string_view(more.text).substr(begin, end - begin), origin.file, origin.line, false);
    begin = end;
  }
}

const TemplateList* template_list(const TemplateValue& value) {
  const auto* list = std::get_if<std::shared_ptr<const TemplateList>>(&value);
  return list == nullptr ? nullptr : list->get();
}

bool add_item(TemplateList& list, const TemplateValue& item) {
  const TemplateList* inner = template_list(item);
  const std::size_t size = list.size + 1 + (inner == nullptr ? 0 : inner->size);
  const auto* text = std::get_if<std::string>(&item);
  const std::size_t bytes = list.bytes + (inner != nullptr ? inner->bytes : 0) + (text != nullptr ? text->size() : 0);
  if (size > kMaxTemplateList || bytes > kMaxTemplateText) return false;
  list.items.push_back(item);
  list.size = size;
  list.bytes = bytes;
  return true;
}

namespace {

// The text as a value; an error where it is longer than kMaxTemplateText.
Result<TemplateValue> template_text(std::string text) {
  if (text.size() > kMaxTemplateText)
    return Diagnostic{"", 0, "", fmt::format("makes a text longer than {} KiB", kMaxTemplateText >> 10)};
  return TemplateValue{std::move(text)};
}

}  // namespace

std::string text_of(const TemplateValue& value) {
  struct Writer {
    std::string operator()(const Undefined&) const { return ""; }
    std::string operator()(const NoValue&) const { return "None"; }
    std::string operator()(bool on) const { return on ? "True" : "False"; }
    std::string operator()(i64 number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const {
      std::string text = fmt::format("{}", number);
      return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
    }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::shared_ptr<const RenderedText>& text) const { return text->text; }
    std::string operator()(const std::shared_ptr<const TemplateList>& list) const {
      std::vector<std::string> items;
      for (const TemplateValue& item : list->items)
        items.push_back(std::holds_alternative<std::string>(item) ? "'" + text_of(item) + "'" : text_of(item));
      return fmt::format("[{}]", fmt::join(items, ", "));
    }
  };
  return std::visit(Writer{}, value);
}

TemplateValue template_value(const std::string& text) {
  if (const auto integer = parse_number<i64>(text)) return *integer;
  if (const auto number = parse_number<double>(text); number && std::isfinite(*number)) return *number;
  const std::string word = lower(text);
  if (word == "true") return true;
  if (word == "false") return false;
  return text;
}

namespace {

Diagnostic operation_error(std::string message) { return {"", 0, "", std::move(message)}; }

// Integers stay integers, as in Python, while they fit.
TemplateValue numeric(double value, bool whole) {
  if (whole && std::abs(value) < 9e15) return static_cast<i64>(value);
  return value;
}

}  // namespace

std::optional<double> template_number(const TemplateValue& value) {
  if (const auto* integer = std::get_if<i64>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* on = std::get_if<bool>(&value)) return *on ? 1.0 : 0.0;
  return std::nullopt;
}

bool is_true(const TemplateValue& value) {
  if (const std::optional<double> number = template_number(value)) return *number != 0;
  if (const auto* text = std::get_if<std::string>(&value)) return !text->empty();
  if (const TemplateList* list = template_list(value)) return !list->items.empty();
  return std::holds_alternative<std::shared_ptr<const RenderedText>>(value);
}

Result<TemplateValue> template_range(std::span<const TemplateValue> arguments) {
  std::vector<i64> numbers;
  for (const TemplateValue& argument : arguments)
    if (const auto* integer = std::get_if<i64>(&argument)) numbers.push_back(*integer);
  if (numbers.size() != arguments.size() || numbers.empty() || numbers.size() > 3)
    return operation_error("range() takes one to three integers");
  const i64 start = numbers.size() > 1 ? numbers[0] : 0;
  const i64 end = numbers.size() > 1 ? numbers[1] : numbers[0];
  const i64 step = numbers.size() > 2 ? numbers[2] : 1;
  if (step == 0) return operation_error("range() cannot go in steps of 0");
  auto list = std::make_shared<TemplateList>();
  for (i64 i = start; step > 0 ? i < end : i > end;) {
    if (!add_item(*list, i)) return operation_error(fmt::format("range() of more than {} numbers", kMaxTemplateList));
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return TemplateValue{std::shared_ptr<const TemplateList>(std::move(list))};
}

Result<TemplateValue> template_contains(const TemplateValue& item, const TemplateValue& list) {
  const auto* text = std::get_if<std::string>(&list);
  const auto* part = std::get_if<std::string>(&item);
  if (text != nullptr && part != nullptr) return TemplateValue{text->find(*part) != std::string::npos};
  const TemplateList* items = template_list(list);
  if (items == nullptr) return operation_error("'in' needs a list, or two texts");
  for (const TemplateValue& other : items->items) {
    const Result<TemplateValue> equal = template_comparison("==", item, other);
    if (equal && is_true(*equal)) return TemplateValue{true};
  }
  return TemplateValue{false};
}

Result<TemplateValue> template_arithmetic(std::string_view op, const TemplateValue& a, const TemplateValue& b) {
  if (op == "~") return template_text(text_of(a) + text_of(b));
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  if (op == "+" && left != nullptr && right != nullptr) return template_text(*left + *right);
  const std::optional<double> x = template_number(a);
  const std::optional<double> y = template_number(b);
  if (!x || !y) return operation_error(fmt::format("'{}' needs two numbers (texts are joined with ~)", op));
  const bool whole = !std::holds_alternative<double>(a) && !std::holds_alternative<double>(b);
  const Result<double> value = arithmetic(op, *x, *y);
  if (!value) return value.errors();
  return numeric(*value, whole && op != "/" && *value == std::floor(*value));
}

Result<TemplateValue> template_comparison(std::string_view op, const TemplateValue& a, const TemplateValue& b) {
  const std::optional<double> x = template_number(a);
  const std::optional<double> y = template_number(b);
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  int order = 2;  // not to be compared
  if (x && y) order = *x < *y ? -1 : *x > *y ? 1 : 0;
  else if (left != nullptr && right != nullptr) order = *left < *right ? -1 : *left > *right ? 1 : 0;
  else if (std::holds_alternative<NoValue>(a) && std::holds_alternative<NoValue>(b)) order = 0;
  if (op == "==") return TemplateValue{order == 0};
  if (op == "!=") return TemplateValue{order != 0};
  if (order == 2) return operation_error(fmt::format("'{}' needs two numbers or two texts", op));
  if (op == "<") return TemplateValue{order < 0};
  if (op == "<=") return TemplateValue{order <= 0};
  if (op == ">") return TemplateValue{order > 0};
  return TemplateValue{order >= 0};
}

namespace {

// The largest or the smallest number.
Result<TemplateValue> extreme(std::string_view name, std::span<const TemplateValue> items) {
  std::optional<TemplateValue> best;
  for (const TemplateValue& item : items) {
    const std::optional<double> number = template_number(item);
    if (!number) return operation_error(fmt::format("{} is of numbers, not of '{}'", name, shortened(text_of(item))));
    const double before = best ? *template_number(*best) : *number;
    if (!best || (name == "max" ? *number > before : *number < before)) best = item;
  }
  if (!best) return operation_error(fmt::format("{} of nothing", name));
  return *best;
}

}  // namespace

std::optional<Result<TemplateValue>> template_function(std::string_view name,
                                                       std::span<const TemplateValue> arguments) {
  if (name == "max" || name == "min") {
    const TemplateList* list = arguments.size() == 1 ? template_list(arguments[0]) : nullptr;
    return extreme(name, list ? std::span<const TemplateValue>(list->items) : arguments);
  }
  if (name == "dict") {
    if (!arguments.empty()) return Result<TemplateValue>(operation_error("dict() is understood without values only"));
    return Result<TemplateValue>(TemplateValue{std::make_shared<const TemplateList>()});
  }
  if (name != "ceil" && name != "floor") return std::nullopt;
  const std::optional<double> number = arguments.size() == 1 ? template_number(arguments[0]) : std::nullopt;
  if (!number || std::abs(*number) > 9e15)
    return Result<TemplateValue>(operation_error(fmt::format("{}() takes a number up to 9e15", name)));
  return Result<TemplateValue>(
      TemplateValue{static_cast<i64>(name == "ceil" ? std::ceil(*number) : std::floor(*number))});
}

Result<TemplateValue> filter_default(const TemplateValue& value, std::span<const TemplateValue> arguments) {
  if (arguments.empty() || arguments.size() > 2)
    return Diagnostic{"", 0, "", "default() takes a value, and perhaps true"};
  const bool also_empty = arguments.size() == 2 && is_true(arguments[1]);
  const bool lacks = std::holds_alternative<Undefined>(value) || (also_empty && !is_true(value));
  return lacks ? arguments[0] : value;
}

namespace {

Diagnostic complain(std::string message) { return {"", 0, "", std::move(message)}; }

// As Jinja does it: every line but the first, and no empty one, unless it is asked for.
Result<TemplateValue> indented(const TemplateValue& value, std::span<const TemplateValue> arguments) {
  constexpr i64 kMostBlanks = 200;
  i64 width = 4;
  if (!arguments.empty()) {
    const auto* given = std::get_if<i64>(&arguments[0]);
    if (given == nullptr || *given < 0 || *given > kMostBlanks)
      return complain(fmt::format("filter 'indent' takes a number of blanks, from 0 to {}", kMostBlanks));
    width = *given;
  }
  const bool first = arguments.size() > 1 && is_true(arguments[1]);
  const bool blank = arguments.size() > 2 && is_true(arguments[2]);
  const auto* included = std::get_if<std::shared_ptr<const RenderedText>>(&value);
  const std::string text = included ? (*included)->text : text_of(value);
  const std::string blanks(static_cast<std::size_t>(width), ' ');
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const bool empty = text[at] == '\n';
    if ((at > 0 || first) && (!empty || blank)) out += blanks;
    out.append(text, at, end - at);
    at = end;
    if (out.size() > kMaxTextFileBytes)
      return complain(fmt::format("makes a text longer than {} MiB", kMaxTextFileBytes >> 20));
  }
  if (!included) return template_text(std::move(out));
  auto lines = std::make_shared<RenderedText>(**included);
  lines->text = std::move(out);
  return TemplateValue{std::shared_ptr<const RenderedText>(std::move(lines))};
}

Result<TemplateValue> joined(const TemplateValue& value, std::span<const TemplateValue> arguments) {
  const TemplateList* list = template_list(value);
  if (list == nullptr) return complain("filter 'join' needs a list");
  std::vector<std::string> items;
  for (const TemplateValue& item : list->items) items.push_back(text_of(item));
  const std::string between = arguments.empty() ? "" : text_of(arguments[0]);
  // Refused before it is made.
  if (between.size() * items.size() > kMaxTemplateText) return template_text(std::string(kMaxTemplateText + 1, ' '));
  return template_text(fmt::format("{}", fmt::join(items, between)));
}

}  // namespace

std::string_view filter_keyword(std::string_view filter, std::size_t place) {
  struct Keyword {
    std::string_view filter;
    std::size_t place;
    std::string_view keyword;
  };
  constexpr Keyword kKeywords[] = {{"indent", 0, "width"}, {"indent", 1, "first"},          {"indent", 2, "blank"},
                                   {"join", 0, "d"},       {"default", 0, "default_value"}, {"default", 1, "boolean"}};
  for (const Keyword& k : kKeywords)
    if (k.filter == filter && k.place == place) return k.keyword;
  return "";
}

Result<TemplateValue> filter(std::string_view name, const TemplateValue& value,
                             std::span<const TemplateValue> arguments) {
  const std::vector<std::string> known{"default", "int",  "float",  "string", "lower", "upper", "trim",
                                       "length",  "join", "indent", "list",   "max",   "min"};
  if (std::ranges::find(known, name) == known.end())
    return complain(fmt::format("filter '{}' is not understood; understood are {}", shortened(name), join(known)));
  if (name == "indent") return indented(value, arguments);
  if (name == "join") return joined(value, arguments);
  if (name == "list" && template_list(value) != nullptr) return value;
  if (!arguments.empty()) return complain(fmt::format("filter '{}' takes no arguments here", name));
  if (name == "max" || name == "min") {
    const TemplateList* list = template_list(value);
    return list ? extreme(name, list->items) : complain(fmt::format("filter '{}' needs a list", name));
  }
  if (name == "length") {
    const TemplateList* list = template_list(value);
    return TemplateValue{static_cast<i64>(list ? list->items.size() : text_of(value).size())};
  }
  std::string text = text_of(value);
  if (name == "string") return TemplateValue{std::move(text)};
  if (name == "lower") return TemplateValue{lower(text)};
  if (name == "trim") return TemplateValue{std::string(trim(text))};
  if (name == "upper") {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return TemplateValue{std::move(text)};
  }
  TemplateValue number = template_value(std::string(trim(text)));
  if (const auto* on = std::get_if<bool>(&number)) number = i64{*on ? 1 : 0};
  const auto* integer = std::get_if<i64>(&number);
  const auto* real = std::get_if<double>(&number);
  if (integer == nullptr && real == nullptr)
    return complain(fmt::format("filter '{}': '{}' is no number", name, shortened(text)));
  if (name == "float") return TemplateValue{integer != nullptr ? static_cast<double>(*integer) : *real};
  if (integer != nullptr) return number;
  if (std::abs(*real) > 9e15) return complain(fmt::format("filter 'int': {} is too large", text));
  return TemplateValue{static_cast<i64>(*real)};
}

}  // namespace heliolite

#include "engine/inputs/template_operations.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/inputs/expression_parser.h"

namespace heliolite {
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

}  // namespace heliolite

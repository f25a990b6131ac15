#include "engine/inputs/template_filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "engine/inputs/template_operations.h"

namespace heliolite {

Result<TemplateValue> filter_default(const TemplateValue& value, std::span<const TemplateValue> arguments) {
  if (arguments.empty() || arguments.size() > 2)
    return Diagnostic{"", 0, "", "default() takes a value, and perhaps true"};
  const bool also_empty = arguments.size() == 2 && is_true(arguments[1]);
  const bool lacks = std::holds_alternative<Undefined>(value) || (also_empty && !is_true(value));
  return lacks ? arguments[0] : value;
}

Result<TemplateValue> filter(std::string_view name, const TemplateValue& value,
                             std::span<const TemplateValue> arguments) {
  const std::vector<std::string> known{"default", "int", "float", "string", "lower", "upper", "trim"};
  const auto complain = [](std::string message) { return Diagnostic{"", 0, "", std::move(message)}; };
  if (std::ranges::find(known, name) == known.end())
    return complain(fmt::format("filter '{}' is not understood; understood are {}", shortened(name), join(known)));
  if (!arguments.empty()) return complain(fmt::format("filter '{}' takes no arguments here", name));
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

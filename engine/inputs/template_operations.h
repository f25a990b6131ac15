#pragma once
// Arithmetic and comparisons of templates, as Python does them.
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/inputs/template_value.h"

namespace heliolite {

// A number, or True and False as 1 and 0.
std::optional<double> template_number(const TemplateValue& value);

// Jinja's truth of a value: not empty, not zero.
bool is_true(const TemplateValue& value);

// range(end), range(start, end), range(start, end, step).
Result<TemplateValue> template_range(std::span<const TemplateValue> arguments);

// Whether a list has an item that is equal, or a text the other one inside.
Result<TemplateValue> template_contains(const TemplateValue& item, const TemplateValue& list);

// `op` is one of ~ + - * / // % **, or one of == != < <= > >=. Errors are one clause without a place.
Result<TemplateValue> template_arithmetic(std::string_view op, const TemplateValue& a, const TemplateValue& b);
Result<TemplateValue> template_comparison(std::string_view op, const TemplateValue& a, const TemplateValue& b);

}  // namespace heliolite

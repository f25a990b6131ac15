#pragma once
// Expressions of templates: a documented part of Jinja's, without lists, attributes and loops.
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/inputs/template_value.h"

namespace heliolite {

using TemplateNames = std::map<std::string, TemplateValue, std::less<>>;

// The value of a call; an error without a place, or a name nobody knows, when there is none.
struct CallResult {
  bool known = true;
  Result<TemplateValue> value = TemplateValue{};
};
using TemplateCall = std::function<CallResult(std::string_view name, std::span<const TemplateValue> arguments)>;

// Numbers, 'texts', names, True False None, ~ + - * / // % **, comparisons, and or not, x if c else y, `is defined`,
// `is none`, calls of functions, and the filters default (d), int, float, string, lower, upper, trim. Errors are one
// clause without a place; errors of calls are passed on.
Result<TemplateValue> evaluate_template(std::string_view text, const TemplateNames& names, const TemplateCall& call);

}  // namespace heliolite

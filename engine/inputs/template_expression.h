#pragma once
// Expressions of templates: a documented part of Jinja's, without maps and attributes.
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/inputs/template_operations.h"

namespace heliolite {

using TemplateNames = std::map<std::string, TemplateValue, std::less<>>;

// The value of a call; an error without a place, or a name nobody knows, when there is none.
struct CallResult {
  bool known = true;
  Result<TemplateValue> value = TemplateValue{};
};
using TemplateCall = std::function<CallResult(std::string_view name, std::span<const TemplateValue> arguments)>;

// Numbers, 'texts', [lists], names, True False None, ~ + - * / // % **, comparisons, in, and or not, x if c else y,
// list[i], `is defined`, `is none`, range() and other calls of functions, and the filters of template_operations.h. A
// name may have a dot: loop.index. Errors are one clause without a place; errors of calls are passed on.
Result<TemplateValue> evaluate_template(std::string_view text, const TemplateNames& names, const TemplateCall& call);

}  // namespace heliolite

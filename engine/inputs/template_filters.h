#pragma once
// Filters of templates: value | name(arguments).
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/inputs/template_value.h"

namespace heliolite {

// default(x), default(x, true): x where the value is not defined, or with true also where it is false or empty.
Result<TemplateValue> filter_default(const TemplateValue& value, std::span<const TemplateValue> arguments);

// int, float, string, lower, upper, trim. The error is one clause without a place.
Result<TemplateValue> filter(std::string_view name, const TemplateValue& value,
                             std::span<const TemplateValue> arguments);

}  // namespace heliolite

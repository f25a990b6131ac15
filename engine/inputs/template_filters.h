#pragma once
// Filters of templates: value | name(arguments).
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/inputs/template_value.h"

namespace heliolite {

// default(x), default(x, true): x where the value is not defined, or with true also where it is false or empty.
Result<TemplateValue> filter_default(const TemplateValue& value, std::span<const TemplateValue> arguments);

// What a filter calls its value number `place`; "" if it has none there.
std::string_view filter_keyword(std::string_view filter, std::size_t place);

// int, float, string, lower, upper, trim, length, join(separator), and indent(width, first, blank), which also takes
// included texts. The error is one clause without a place.
Result<TemplateValue> filter(std::string_view name, const TemplateValue& value,
                             std::span<const TemplateValue> arguments);

}  // namespace heliolite

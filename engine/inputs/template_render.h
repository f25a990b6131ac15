#pragma once
// Templates: a text with {{ expressions }}, {% set .. %}, {% if .. %} .. {% endif %} and {# remarks #}, in Jinja's
// syntax. Nothing in them runs code.
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/inputs/template_expression.h"

namespace heliolite {

// Whether the text has a mark that opens an expression, a statement or a remark.
bool is_template(std::string_view text);

// The text with all of that carried out; `file` is where it is from. `names` get what statements set.
Result<RenderedText> render_template(std::string_view text, const std::string& file, TemplateNames names,
                                     const TemplateCall& call);

}  // namespace heliolite

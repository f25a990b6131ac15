#pragma once
// Templates: a text with {{ expressions }}, {% set .. %}, {% if .. %} .. {% endif %}, {% for .. %} .. {% endfor %},
// {% include .. %} and {# remarks #}, in Jinja's syntax. Nothing in them runs code.
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/inputs/template_expression.h"

namespace heliolite {

// Whether the text has a mark that opens an expression, a statement or a remark.
bool is_template(std::string_view text);

// The text of a file that a template includes, which is a template that knows the same names.
using TemplateInclude = std::function<Result<RenderedText>(const std::string& name, const TemplateNames& names)>;

// The text with all of that carried out; `file` is where it is from. `names` are what is known at its beginning.
Result<RenderedText> render_template(std::string_view text, const std::string& file, TemplateNames names,
                                     const TemplateCall& call, const TemplateInclude& include = {});

}  // namespace heliolite

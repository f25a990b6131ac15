#pragma once
// Templates: a text with {{ expressions }}, {% set .. %}, {% if .. %} .. {% endif %}, {% for .. %} .. {% endfor %},
// {% include .. %}, {% assert .. %}, {% raw %} .. {% endraw %} and {# remarks #}, in Jinja's syntax. Nothing in them
// runs code.
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"
#include "engine/inputs/template_operations.h"

namespace heliolite {

// Whether the text has a mark that opens an expression, a statement or a remark.
bool is_template(std::string_view text);

using TemplateNames = std::map<std::string, TemplateValue, std::less<>>;

// The value of a call; an error without a place, or a name nobody knows, when there is none.
struct CallResult {
  bool known = true;
  Result<TemplateValue> value = TemplateValue{};
};
// `names`: what is known where the call stands.
using TemplateCall = std::function<CallResult(std::string_view name, std::span<const TemplateValue> arguments,
                                              const TemplateNames& names)>;

// Numbers, 'texts', [lists], names, True False None, ~ + - * / // % **, comparisons, in, and or not, x if c else y,
// list[i], `is defined`, `is none`, range(), max(), min(), ceil(), floor(), dict() without anything, list.items() and
// other calls of functions, and the filters of template_operations.h. A name may have a dot: loop.index. Errors are one
// clause without a place; errors of calls are passed on.
Result<TemplateValue> evaluate_template(std::string_view text, const TemplateNames& names, const TemplateCall& call);

// The text of a file that a template includes, which is a template that knows the same names.
using TemplateInclude = std::function<Result<RenderedText>(const std::string& name, const TemplateNames& names)>;

// The text with all of that carried out; `file` is where it is from. `names` are what is known at its beginning.
Result<RenderedText> render_template(std::string_view text, const std::string& file, TemplateNames names,
                                     const TemplateCall& call, const TemplateInclude& include = {});

enum class TemplatePieceKind : u8 { Text, Expression, Statement };

struct TemplatePiece {
  TemplatePieceKind kind = TemplatePieceKind::Text;
  std::string_view text;  // without the braces
  int line = 1;           // where it begins
};

// The pieces of `text`, which must outlive them; `file` is where it is from. Remarks are left out, and blanks that a
// '-' inside braces takes away. The error: braces that are never closed.
Result<std::vector<TemplatePiece>> template_pieces(std::string_view text, const std::string& file);

}  // namespace heliolite

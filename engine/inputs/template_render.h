#pragma once
// Arithmetic and comparisons of templates, as Python does them.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/types.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// Values of template expressions.

// A text and where each of its lines comes from.
struct RenderedText {
  std::string text;
  std::vector<YamlLine> lines;

  // Adds text that is at `line` of `file` and goes on from there; `moves` says whether its line ends are the file's.
  void append(std::string_view more, const std::shared_ptr<const std::string>& file, int line, bool moves);
  void append(const RenderedText& more);
};

struct Undefined {
  std::string name;  // that has no value
};
struct NoValue {};

// The longest text that operations make, in bytes, and what the texts of all names may take together: a few statements
// that double a text would otherwise fill any memory.
inline constexpr std::size_t kMaxTemplateText = std::size_t{64} << 10;
inline constexpr std::size_t kMaxTemplateNames = std::size_t{16} << 20;

struct TemplateList;

// What an expression gives. A text that was included keeps its lines and can only be put out, as it is or indented.
using TemplateValue = std::variant<Undefined, NoValue, bool, i64, double, std::string,
                                   std::shared_ptr<const RenderedText>, std::shared_ptr<const TemplateList>>;

// A list or a tuple, which are one here.
struct TemplateList {
  std::vector<TemplateValue> items;
  std::size_t size = 0;   // items, those of lists in it included
  std::size_t bytes = 0;  // of the texts in it
};
inline constexpr std::size_t kMaxTemplateList = 10'000;  // the largest size

// Adds an item. False, and nothing is added, where the list would be too large, or its texts longer than
// kMaxTemplateText.
bool add_item(TemplateList& list, const TemplateValue& item);

// Null for anything but a list.
const TemplateList* template_list(const TemplateValue& value);

// As it is put into the text: True, None, 1.0, ..
std::string text_of(const TemplateValue& value);

// What a text of the command line stands for: an integer, a number, true or false, else itself.
TemplateValue template_value(const std::string& text);

// A number, or True and False as 1 and 0.
std::optional<double> template_number(const TemplateValue& value);

// Jinja's truth of a value: not empty, not zero.
bool is_true(const TemplateValue& value);

// range(end), range(start, end), range(start, end, step).
Result<TemplateValue> template_range(std::span<const TemplateValue> arguments);

// max(a, b, ..), min(a, b, ..) and both of one list, ceil(x), floor(x), and dict(), the empty map, which is an empty
// list here; none for another name.
std::optional<Result<TemplateValue>> template_function(std::string_view name, std::span<const TemplateValue> arguments);

// Whether a list has an item that is equal, or a text the other one inside.
Result<TemplateValue> template_contains(const TemplateValue& item, const TemplateValue& list);

// `op` is one of ~ + - * / // % **, or one of == != < <= > >=. Errors are one clause without a place.
Result<TemplateValue> template_arithmetic(std::string_view op, const TemplateValue& a, const TemplateValue& b);
Result<TemplateValue> template_comparison(std::string_view op, const TemplateValue& a, const TemplateValue& b);

// Filters of templates: value | name(arguments).

// default(x), default(x, true): x where the value is not defined, or with true also where it is false or empty.
Result<TemplateValue> filter_default(const TemplateValue& value, std::span<const TemplateValue> arguments);

// What a filter calls its value number `place`; "" if it has none there.
std::string_view filter_keyword(std::string_view filter, std::size_t place);

// int, float, string, lower, upper, trim, length, max, min, join(separator), and indent(width, first, blank), which
// also takes included texts. The error is one clause without a place.
Result<TemplateValue> filter(std::string_view name, const TemplateValue& value,
                             std::span<const TemplateValue> arguments);

// Templates: a text with {{ expressions }}, {% set .. %}, {% if .. %} .. {% endif %}, {% for .. %} .. {% endfor %},
// {% include .. %}, {% assert .. %}, {% raw %} .. {% endraw %} and {# remarks #}, in Jinja's syntax. Nothing in them
// runs code.

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
// other calls of functions, and the filters above. A name may have a dot: loop.index. Errors are one
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

#pragma once
// Values of template expressions.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

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

// Of a list or a tuple, which are one here.
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

// The text as a value; an error where it is longer than kMaxTemplateText.
Result<TemplateValue> template_text(std::string text);

// As it is put into the text: True, None, 1.0, ..
std::string text_of(const TemplateValue& value);

// What a text of the command line stands for: an integer, a number, true or false, else itself.
TemplateValue template_value(const std::string& text);

}  // namespace heliolite

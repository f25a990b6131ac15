#include "engine/inputs/template_value.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "engine/base/parse_number.h"
#include "engine/base/text.h"

namespace heliolite {

void RenderedText::append(std::string_view more, const std::shared_ptr<const std::string>& file, int line, bool moves) {
  for (const char c : more) {
    if (text.empty() || text.back() == '\n') lines.push_back({file, line});
    text += c;
    if (c == '\n' && moves) ++line;
  }
}

void RenderedText::append(const RenderedText& more) {
  std::size_t begin = 0;
  for (const YamlLine& origin : more.lines) {
    const std::size_t end = std::min(more.text.find('\n', begin), more.text.size() - 1) + 1;
    append(std::string_view(more.text).substr(begin, end - begin), origin.file, origin.line, false);
    begin = end;
  }
}

const TemplateList* template_list(const TemplateValue& value) {
  const auto* list = std::get_if<std::shared_ptr<const TemplateList>>(&value);
  return list == nullptr ? nullptr : list->get();
}

bool add_item(TemplateList& list, const TemplateValue& item) {
  const TemplateList* inner = template_list(item);
  const std::size_t size = list.size + 1 + (inner == nullptr ? 0 : inner->size);
  const auto* text = std::get_if<std::string>(&item);
  const std::size_t bytes = list.bytes + (inner != nullptr ? inner->bytes : 0) + (text != nullptr ? text->size() : 0);
  if (size > kMaxTemplateList || bytes > kMaxTemplateText) return false;
  list.items.push_back(item);
  list.size = size;
  list.bytes = bytes;
  return true;
}

Result<TemplateValue> template_text(std::string text) {
  if (text.size() > kMaxTemplateText)
    return Diagnostic{"", 0, "", fmt::format("makes a text longer than {} KiB", kMaxTemplateText >> 10)};
  return TemplateValue{std::move(text)};
}

std::string text_of(const TemplateValue& value) {
  struct Writer {
    std::string operator()(const Undefined&) const { return ""; }
    std::string operator()(const NoValue&) const { return "None"; }
    std::string operator()(bool on) const { return on ? "True" : "False"; }
    std::string operator()(i64 number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const {
      std::string text = fmt::format("{}", number);
      return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
    }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::shared_ptr<const RenderedText>& text) const { return text->text; }
    std::string operator()(const std::shared_ptr<const TemplateList>& list) const {
      std::vector<std::string> items;
      for (const TemplateValue& item : list->items)
        items.push_back(std::holds_alternative<std::string>(item) ? "'" + text_of(item) + "'" : text_of(item));
      return fmt::format("[{}]", fmt::join(items, ", "));
    }
  };
  return std::visit(Writer{}, value);
}

TemplateValue template_value(const std::string& text) {
  if (const auto integer = parse_number<i64>(text)) return *integer;
  if (const auto number = parse_number<double>(text); number && std::isfinite(*number)) return *number;
  const std::string word = lower(text);
  if (word == "true") return true;
  if (word == "false") return false;
  return text;
}

}  // namespace heliolite

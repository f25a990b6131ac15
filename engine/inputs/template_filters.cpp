#include "engine/inputs/template_filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "engine/base/text_file.h"
#include "engine/inputs/template_operations.h"

namespace heliolite {

Result<TemplateValue> filter_default(const TemplateValue& value, std::span<const TemplateValue> arguments) {
  if (arguments.empty() || arguments.size() > 2)
    return Diagnostic{"", 0, "", "default() takes a value, and perhaps true"};
  const bool also_empty = arguments.size() == 2 && is_true(arguments[1]);
  const bool lacks = std::holds_alternative<Undefined>(value) || (also_empty && !is_true(value));
  return lacks ? arguments[0] : value;
}

namespace {

Diagnostic complain(std::string message) { return {"", 0, "", std::move(message)}; }

// As Jinja does it: every line but the first, and no empty one, unless it is asked for.
Result<TemplateValue> indented(const TemplateValue& value, std::span<const TemplateValue> arguments) {
  constexpr i64 kMostBlanks = 200;
  i64 width = 4;
  if (!arguments.empty()) {
    const auto* given = std::get_if<i64>(&arguments[0]);
    if (given == nullptr || *given < 0 || *given > kMostBlanks)
      return complain(fmt::format("filter 'indent' takes a number of blanks, from 0 to {}", kMostBlanks));
    width = *given;
  }
  const bool first = arguments.size() > 1 && is_true(arguments[1]);
  const bool blank = arguments.size() > 2 && is_true(arguments[2]);
  const auto* included = std::get_if<std::shared_ptr<const RenderedText>>(&value);
  const std::string text = included ? (*included)->text : text_of(value);
  const std::string blanks(static_cast<std::size_t>(width), ' ');
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const bool empty = text[at] == '\n';
    if ((at > 0 || first) && (!empty || blank)) out += blanks;
    out.append(text, at, end - at);
    at = end;
    if (out.size() > kMaxTextFileBytes)
      return complain(fmt::format("makes a text longer than {} MiB", kMaxTextFileBytes >> 20));
  }
  if (!included) return template_text(std::move(out));
  auto lines = std::make_shared<RenderedText>(**included);
  lines->text = std::move(out);
  return TemplateValue{std::shared_ptr<const RenderedText>(std::move(lines))};
}

Result<TemplateValue> joined(const TemplateValue& value, std::span<const TemplateValue> arguments) {
  const TemplateList* list = template_list(value);
  if (list == nullptr) return complain("filter 'join' needs a list");
  std::vector<std::string> items;
  for (const TemplateValue& item : list->items) items.push_back(text_of(item));
  const std::string between = arguments.empty() ? "" : text_of(arguments[0]);
  // Refused before it is made.
  if (between.size() * items.size() > kMaxTemplateText) return template_text(std::string(kMaxTemplateText + 1, ' '));
  return template_text(fmt::format("{}", fmt::join(items, between)));
}

}  // namespace

std::string_view filter_keyword(std::string_view filter, std::size_t place) {
  struct Keyword {
    std::string_view filter;
    std::size_t place;
    std::string_view keyword;
  };
  constexpr Keyword kKeywords[] = {{"indent", 0, "width"}, {"indent", 1, "first"},          {"indent", 2, "blank"},
                                   {"join", 0, "d"},       {"default", 0, "default_value"}, {"default", 1, "boolean"}};
  for (const Keyword& k : kKeywords)
    if (k.filter == filter && k.place == place) return k.keyword;
  return "";
}

Result<TemplateValue> filter(std::string_view name, const TemplateValue& value,
                             std::span<const TemplateValue> arguments) {
  const std::vector<std::string> known{"default", "int",    "float", "string", "lower", "upper",
                                       "trim",    "length", "join",  "indent", "list"};
  if (std::ranges::find(known, name) == known.end())
    return complain(fmt::format("filter '{}' is not understood; understood are {}", shortened(name), join(known)));
  if (name == "indent") return indented(value, arguments);
  if (name == "join") return joined(value, arguments);
  if (name == "list" && template_list(value) != nullptr) return value;
  if (!arguments.empty()) return complain(fmt::format("filter '{}' takes no arguments here", name));
  if (name == "length") {
    const TemplateList* list = template_list(value);
    return TemplateValue{static_cast<i64>(list ? list->items.size() : text_of(value).size())};
  }
  std::string text = text_of(value);
  if (name == "string") return TemplateValue{std::move(text)};
  if (name == "lower") return TemplateValue{lower(text)};
  if (name == "trim") return TemplateValue{std::string(trim(text))};
  if (name == "upper") {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return TemplateValue{std::move(text)};
  }
  TemplateValue number = template_value(std::string(trim(text)));
  if (const auto* on = std::get_if<bool>(&number)) number = i64{*on ? 1 : 0};
  const auto* integer = std::get_if<i64>(&number);
  const auto* real = std::get_if<double>(&number);
  if (integer == nullptr && real == nullptr)
    return complain(fmt::format("filter '{}': '{}' is no number", name, shortened(text)));
  if (name == "float") return TemplateValue{integer != nullptr ? static_cast<double>(*integer) : *real};
  if (integer != nullptr) return number;
  if (std::abs(*real) > 9e15) return complain(fmt::format("filter 'int': {} is too large", text));
  return TemplateValue{static_cast<i64>(*real)};
}

}  // namespace heliolite

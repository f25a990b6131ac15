#include "engine/search/options_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "engine/base/text.h"
#include "engine/search/core/option_table.h"

namespace heliolite {
namespace {

// YAML writes numbers and switches in more ways than the table knows.
std::string plain_text(const YamlNode& node, const SearchOption& option) {
  if (option.type.empty()) {
    if (const auto on = node.as_bool()) return *on ? "true" : "false";
  } else if (option.type == "N") {
    if (const auto n = node.as_integer()) return fmt::format("{}", *n);
  } else if (const auto x = node.as_number()) {
    return fmt::format("{}", *x);
  }
  return node.is_scalar() ? node.text() : "a list or map";
}

void set(const YamlNode& at, const SearchOption& option, const std::string& value, SearchOptions& options,
         Diagnostics& errors) {
  if (!option.set(options, value))
    errors.push_back(at.error(fmt::format("{} = {}, must be {}", option.name, value, must_be(option, value))));
}

Shape shape_of(const SearchOption& option) {
  if (option.type.empty()) return shape::boolean();
  if (option.list) return shape::words();
  if (!option.names.empty()) return shape::one_of_any_case(option.names);
  if (!option.range) return option.type == "SIZE" ? shape::text(kBytePattern) : shape::text();
  if (option.type != "N") return shape::number(option.range->least, option.range->most);
  return shape::integer(static_cast<i64>(option.range->least), static_cast<i64>(option.range->most));
}

std::string sentence(const std::string& phrase) {
  std::string text = phrase + ".";
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

FileField field_of(const SearchOption& option) {
  const std::string unit = option.type == "SECONDS" ? "s" : "";
  return {option.name, shape_of(option), sentence(option.help), unit, option.usual};
}

bool left_out(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

FileField search_option_field(std::string_view name) { return field_of(search_option(name)); }

std::vector<FileField> search_option_fields(std::span<const std::string_view> leave) {
  std::vector<FileField> fields;
  for (const SearchOption& option : search_option_table())
    if (!left_out(leave, option.name)) fields.push_back(field_of(option));
  return fields;
}

void read_search_option(const YamlNode& node, std::string_view name, SearchOptions& options, Diagnostics& errors) {
  const SearchOption& option = search_option(name);
  set(node, option, plain_text(node, option), options, errors);
}

void refuse_former_options(FieldReader& reader) {
  for (const FormerOption& former : kFormerOptions)
    reader.refuse(former.name, fmt::format("{}: {}", former.name, former.instead));
}

void read_search_options(FieldReader& reader, SearchOptions& options, Diagnostics& errors,
                         std::span<const std::string_view> leave) {
  refuse_former_options(reader);
  for (const SearchOption& option : search_option_table()) {
    if (left_out(leave, option.name)) continue;
    if (option.list) {
      for (const std::string& word : reader.words(option.name).value_or(std::vector<std::string>{}))
        set(*reader.child(option.name), option, word, options, errors);
    } else if (const auto node = reader.child(option.name)) {
      read_search_option(*node, option.name, options, errors);
    }
  }
}

}  // namespace heliolite

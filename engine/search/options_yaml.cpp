#include "engine/search/options_yaml.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

void read_search_option(const YamlNode& node, std::string_view name, SearchOptions& options, Diagnostics& errors) {
  const SearchOption& option = search_option(name);
  set(node, option, plain_text(node, option), options, errors);
}

void read_search_options(MapReader& reader, SearchOptions& options, Diagnostics& errors,
                         std::initializer_list<std::string_view> leave) {
  for (const SearchOption& option : search_option_table()) {
    if (std::ranges::find(leave, option.name) != leave.end()) continue;
    if (option.list) {
      for (const std::string& word : reader.words(option.name).value_or(std::vector<std::string>{}))
        set(*reader.child(option.name), option, word, options, errors);
    } else if (const auto node = reader.child(option.name)) {
      read_search_option(*node, option.name, options, errors);
    }
  }
}

}  // namespace heliolite

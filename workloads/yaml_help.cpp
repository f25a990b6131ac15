#include "workloads/yaml_help.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/text.h"
#include "workloads/compact_text.h"
#include "workloads/einsum_text.h"

namespace heliolite {

void add_at(const YamlNode& node, const Diagnostics& inner, Diagnostics& errors) {
  for (const Diagnostic& error : inner) {
    const std::string where = error.field.empty() ? "" : error.field + ": ";
    errors.push_back(node.error(where + error.message));
  }
}

std::optional<u64> read_size(const YamlNode& node, std::string_view name, u64 largest, Diagnostics& errors) {
  const std::optional<i64> value = node.as_integer();
  if (value && *value >= 1 && static_cast<u64>(*value) <= largest) return static_cast<u64>(*value);
  errors.push_back(node.error(fmt::format("{} = {}, must be an integer from 1 to {}", name, shown(node), largest)));
  return std::nullopt;
}

std::optional<Arguments> read_arguments(const Family& family, const YamlNode& node, Diagnostics& errors) {
  if (node.is_scalar()) {
    Result<Arguments> parsed = parse_arguments(family, node.text());
    if (parsed) return std::move(*parsed);
    add_at(node, parsed.errors(), errors);
    return std::nullopt;
  }
  if (!node.is_map()) {
    errors.push_back(node.error(fmt::format("{} must be a map of sizes, like {{{}: 64, ..}}, not {}", family.name,
                                            family.parameters.front(), shown(node))));
    return std::nullopt;
  }
  const std::vector<std::string> names(family.parameters.begin(), family.parameters.end());
  const std::size_t before = errors.size();
  Arguments arguments;
  for (const std::string& key : node.keys()) {
    const YamlNode value = *node.find(key);
    const auto parameter = find_parameter(family, key);
    if (!parameter) {
      const std::string hint = did_you_mean(key, names);
      errors.push_back({node.file(), node.key_line(key), node.field(),
                        fmt::format("unknown key '{}'{}", shortened(key),
                                    hint.empty() ? ", must be one of " + join(names, "or") : hint)});
    } else if (const auto size = read_size(value, *parameter, largest_value(*parameter), errors)) {
      if (!arguments.emplace(*parameter, *size).second) {
        errors.push_back(value.error(fmt::format("a second value for {}", *parameter)));
      }
    }
  }
  if (errors.size() != before) return std::nullopt;
  return arguments;
}

}  // namespace heliolite

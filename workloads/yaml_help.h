#pragma once
// Helpers that the readers of workload files share.
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/yaml_node.h"
#include "workloads/families.h"

namespace heliolite {

// Adds the complaints `inner` of a reader of text or of check() to `errors`, with the file and line of `node`.
void add_at(const YamlNode& node, const Diagnostics& inner, Diagnostics& errors);

// Reads an integer from 1 to `largest`; `name` is for the complaint.
std::optional<u64> read_size(const YamlNode& node, std::string_view name, u64 largest, Diagnostics& errors);

// Reads the parameters of a family: `{k: 64, c: 64}` or "k=64,c=64".
std::optional<Arguments> read_arguments(const Family& family, const YamlNode& node, Diagnostics& errors);

}  // namespace heliolite

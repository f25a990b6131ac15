#pragma once
// What the readers of workload files share.
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/shortened.h"
#include "engine/base/yaml_node.h"
#include "workloads/families.h"

namespace heliolite {

// Complaints of the readers of text and of check(), moved to a place of the file.
void add_at(const YamlNode& node, const Diagnostics& inner, Diagnostics& errors);

// An integer from 1 to `largest`.
std::optional<u64> read_size(const YamlNode& node, std::string_view name, u64 largest, Diagnostics& errors);

// `{k: 64, c: 64}` or "k=64,c=64" for one family.
std::optional<Arguments> read_arguments(const Family& family, const YamlNode& node, Diagnostics& errors);

}  // namespace heliolite

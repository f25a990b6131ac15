#pragma once
// The loops of one level in a mapping's file, and how names that nothing has are complained about.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/yaml_node.h"
#include "engine/model/mapping_factors.h"
#include "workloads/workload.h"

namespace heliolite {

// Reads [K: 4, C: [3, 2]], or {K: 4, C: 2} in the order written; nothing is no loops. `where` stands for the place in
// complaints: "GLB temporal". Complains about unknown dimensions, two loops of one and factors that are none.
std::vector<ListedFactor> read_loops(const YamlNode& node, const std::string& where, const Workload& workload,
                                     Diagnostics& errors);

// The complaint about a name, of a level, a tensor or a dimension (`what`), that is not among the known ones.
Diagnostic unknown_name(const YamlNode& node, std::string_view what, const std::string& name,
                        const std::vector<std::string>& known);

// Their names.
std::vector<std::string> names_of(const auto& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

}  // namespace heliolite

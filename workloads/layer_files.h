#pragma once
// A network that is many files: one Timeloop problem a layer, as most people keep them.
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "workloads/network.h"

namespace heliolite {

// The YAML files of a folder in the order of their names, numbers in them by their value (layer2 before layer10).
// Error: there is none.
Result<std::vector<std::string>> yaml_files_of(const std::string& folder);

// Each problem among the documents is a layer, called as its file is; the others have the variables that they share. A
// document without either is left out, and a note names it; files that make up layers of the same name get numbers.
Result<Network> network_of_problems(const std::vector<YamlNode>& documents, const std::string& name);

}  // namespace heliolite

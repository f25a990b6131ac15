#pragma once
// One parameter of a sweep file: what it sets and the values it takes.
#include <string>

#include "engine/base/yaml_node.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Reads a parameter from the map `node`: `set` with `values`, or with a range (`from`, `to`, and `step` or `factor`);
// or `values` alone, a map of named alternatives that set several fields each. `machine`: the one whose fields are set.
// What is wrong becomes complaints in `errors`.
SweepParameter read_parameter(const std::string& name, const YamlNode& node, const ArchitectureSpec& machine,
                              Diagnostics& errors);

}  // namespace heliolite

#pragma once
// One parameter of a sweep file: what it sets and the values it takes.
#include <string>

#include "engine/base/yaml_node.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// `name` and the map below it: `set` with `values`, or with a range (`from`, `to`, and `step` or `factor`); or `values`
// alone, a map of named alternatives that set several fields each. `machine` is what the fields belong to.
SweepParameter read_parameter(const std::string& name, const YamlNode& node, const ArchitectureSpec& machine,
                              Diagnostics& errors);

}  // namespace heliolite

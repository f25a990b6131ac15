#pragma once
// One parameter of a sweep file: what it sets and the values it takes.
#include <string>

#include "engine/base/yaml_node.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Warnings about energies and areas that do not follow a swept capacity although the user may expect it.

// A warning for each swept capacity whose level states its energy or area (or has them from an ERT or ART), so that
// they stay the same at every capacity.
Diagnostics stated_cost_warnings(const SweepSpec& spec);

// Reads a parameter from the map `node`: `set` with `values`, or with a range (`from`, `to`, and `step` or `factor`);
// or `values` alone, a map of named alternatives that set several fields each. `machine`: the one whose fields are set.
// What is wrong becomes complaints in `errors`.
SweepParameter read_parameter(const std::string& name, const YamlNode& node, const ArchitectureSpec& machine,
                              Diagnostics& errors);

}  // namespace heliolite

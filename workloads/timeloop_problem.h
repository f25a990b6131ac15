#pragma once
// Reads Timeloop's problem files: `problem: {shape, instance}` of all versions, hyphens or underscores in keys.
#include "engine/base/yaml_node.h"
#include "workloads/workload.h"

namespace heliolite {

// Whether a file's root is Timeloop's: a key `problem`, or a bare `shape`.
bool is_timeloop_problem(const YamlNode& root);

// The workload, with the shape's names for dimensions and tensors, called `name`. `shape` may be the name of a shape
// that comes with Timeloop (cnn-layer, gemm-ABZ, gemm). Refused: densities below 1, flattening, padding, unknown keys.
// Other sections of the file (architecture, mapping, ..) are left alone.
Result<Workload> timeloop_problem(const YamlNode& root, const std::string& name);

}  // namespace heliolite

#pragma once
// Reads Timeloop's problem files: `problem: {shape, instance}` of all versions, hyphens or underscores in keys.
#include <string>
#include <vector>

#include "engine/base/yaml_node.h"
#include "workloads/workload.h"

namespace heliolite {

// Whether a file's root is Timeloop's: a key `problem`, or a bare `shape`.
bool is_timeloop_problem(const YamlNode& root);

// The workload, with the shape's names for dimensions and tensors, called `name`. `shape` may be the name of a shape
// that comes with Timeloop (cnn-layer, dw-cnn-layer, gemm-ABZ, gemm). Sizes may be expressions over the `variables` of
// the file and of `others`. Refused: densities below 1, flattening, unknown keys. Other sections of the file
// (architecture, mapping, ..) are left alone. `notes`, if given, gets what is passed over although it may have been
// meant, such as padding.
Result<Workload> timeloop_problem(const YamlNode& root, const std::string& name,
                                  const std::vector<YamlNode>& others = {}, std::vector<std::string>* notes = nullptr);

}  // namespace heliolite

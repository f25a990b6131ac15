#pragma once
// Timeloop's problem files, read and written: `problem: {shape, instance}` of all versions, hyphens or underscores in
// keys; and folders of them, which are networks of one file a layer.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "workloads/network.h"
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

struct TimeloopProblem {
  std::string text;   // a YAML document that timeloop_problem() and Timeloop, of any version, read
  Diagnostics notes;  // what the format does not say: roles that do not follow from the names; and names that
                      // Timeloop's factors cannot spell
};

// `version`: "0.3" or "0.4", which the file states.
TimeloopProblem write_timeloop_problem(const Workload& workload, std::string_view version);

// The YAML files of a folder in the order of their names, numbers in them by their value (layer2 before layer10).
// Error: there is none.
Result<std::vector<std::string>> yaml_files_of(const std::string& folder);

// Each problem among the documents is a layer, called as its file is; the others have the variables that they share. A
// document without either is left out, and a note names it; files that make up layers of the same name get numbers.
Result<Network> network_of_problems(const std::vector<YamlNode>& documents, const std::string& name);

}  // namespace heliolite

#pragma once
// The network that the found layers are: names, edges between layers, and inputs that several of them read.
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/formats/onnx/walk.h"
#include "workloads/network.h"

namespace heliolite::onnx {

// Names of layers from names of nodes.

// Gives each node's name a name that files, tables and options can hold: letters, digits, '_', '.' and '-', at most 60
// of them, no two equal.
class LayerNames {
 public:
  std::string next(std::string_view node_name);

 private:
  std::unordered_map<std::string, int> used_;  // [name]: how often
};

// One layer for each Einsum found. Operands that are made of a layer's output in a way that an edge cannot say are
// added to the report.
Network connect(const Walk& walk, const std::string& name, Report& report);

}  // namespace heliolite::onnx

#pragma once
// Names of layers from names of nodes.
#include <string>
#include <string_view>
#include <unordered_map>

namespace heliolite::onnx {

// Gives each node's name a name that files, tables and options can hold: letters, digits, '_', '.' and '-', at most 60
// of them, no two equal.
class LayerNames {
 public:
  std::string next(std::string_view node_name);

 private:
  std::unordered_map<std::string, int> used_;  // [name]: how often
};

}  // namespace heliolite::onnx

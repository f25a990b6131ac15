#pragma once
// A network is a list of workloads with repeat counts, and what one produces for another.
#include <string>
#include <string_view>
#include <vector>

#include "workloads/workload.h"

namespace heliolite {

struct Layer {
  Workload workload;  // its name is the layer's name
  u64 count = 1;      // how often the network executes it
};

// What happens to a tensor between two layers. It moves no words of its own: it is merged with its neighbours.
enum class Operator : u8 {
  None,
  Elementwise,  // activation, residual, normalisation by known factors
  Softmax,      // needs the whole row, unless it is computed incrementally
};

std::string_view name(Operator op);  // "none", "elementwise", "softmax"

// The output of layer `from` is the tensor `tensor` of layer `to`.
struct Edge {
  int from = 0;
  int to = 0;
  int tensor = 0;
  Operator through = Operator::None;
};

struct Network {
  std::string name;
  std::vector<Layer> layers;
  std::vector<Edge> edges{};  // no cycles; at most one into a tensor; both ends have equal counts

  u64 macs() const;  // of all layers, repeats included
};

}  // namespace heliolite

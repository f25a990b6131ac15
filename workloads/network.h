#pragma once
// A network is a list of workloads with repeat counts.
#include <string>
#include <vector>

#include "workloads/workload.h"

namespace heliolite {

struct Layer {
  Workload workload;  // its name is the layer's name
  u64 count = 1;      // how often the network executes it
};

struct Network {
  std::string name;
  std::vector<Layer> layers;

  u64 macs() const;  // of all layers, repeats included
};

}  // namespace heliolite

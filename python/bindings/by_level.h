#pragma once
// What several parts of the module give to Python level by level: mappings that are placed, and bounds.
#include <pybind11/pybind11.h>
#include <memory>
#include <vector>

#include "arch/architecture.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite::python {

// A mapping together with what it maps and what it is mapped on: alone it is indices.

struct PlacedMapping {
  Mapping mapping;
  std::shared_ptr<const Workload> workload;
  std::shared_ptr<const Architecture> machine;
};

// The least that crosses a machine's levels, with the keys of "bounds" in docs/json.md.

pybind11::list distances_as_list(const std::vector<LevelDistance>& levels);

}  // namespace heliolite::python

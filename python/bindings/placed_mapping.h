#pragma once
// A mapping together with what it maps and what it is mapped on: alone it is indices.
#include <pybind11/pybind11.h>

#include <memory>

#include "arch/architecture.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite::python {

struct PlacedMapping {
  Mapping mapping;
  std::shared_ptr<const Workload> workload;
  std::shared_ptr<const Architecture> machine;
};

// The levels, outermost first, as an answer of `map --json` has them (docs/json.md).
pybind11::list levels_of(const PlacedMapping& placed);

}  // namespace heliolite::python

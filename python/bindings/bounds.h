#pragma once
// The least that crosses a machine's levels, with the keys of "bounds" in docs/json.md.
#include <pybind11/pybind11.h>
#include <vector>

#include "engine/bounds/curve/movement_distance.h"

namespace heliolite::python {

pybind11::list distances_as_list(const std::vector<LevelDistance>& levels);
pybind11::list bounds_as_list(const std::vector<LevelBound>& levels);

}  // namespace heliolite::python

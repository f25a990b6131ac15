#pragma once
// Where the corners of a polytope with parameters stay the same.
#include <vector>

#include "engine/program/isl.h"

namespace heliolite {

struct ParameterCell {
  isl::set parameters;   // closed: neighbours share their borders
  bool has_whole_steps;  // each corner moves by integers when a parameter grows by one
};

// Outside of all cells the polytope is empty. It must have no local variables.
std::vector<ParameterCell> parameter_cells(const isl::basic_set& polytope);

}  // namespace heliolite

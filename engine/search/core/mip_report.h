#pragma once
// What the solver of strategy cosa says of its own program; its values are not costs of mappings.
#include <optional>

#include "engine/base/types.h"
#include "engine/search/core/cosa_options.h"

namespace heliolite {

struct MipReport {
  CosaVariant variant = CosaVariant::Published;
  bool found = false;    // an answer of the program; `objective` is then its value
  bool proven = false;   // that no answer of the program is better, or that there is none
  double objective = 0;  // logarithms to base 2, as docs/cosa.md weighs them; convex: of the best cost found
  double bound = 0;      // no answer of the program is below
  u64 columns = 0, integers = 0, rows = 0;
  u64 nodes = 0;  // of the solver's search trees
  // What the objective is of the mapping that the solver began with; none: none was asked for, or it is not an answer
  // of the program.
  std::optional<double> start{};
  u64 solves = 0;  // programs solved: 1, and one more for each answer that did not fit the machine
};

}  // namespace heliolite

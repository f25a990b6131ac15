#pragma once
// The toy on which frontiers and dominance are followed by hand: a product of matrices on three levels.
#include "tests/support/exact_toy.h"

namespace heliolite::testing {

// Two levels inside the outermost one; only that costs energy.
inline Architecture three_levels(u64 fanout_x = 1) {
  return toy_machine({{.fanout_x = fanout_x}, {}, {.read = 1, .update = 1}});
}

inline ExactToy gemm_toy(Objective objective = Objective::Energy) {
  return ExactToy(toy_problem(gemm(4, 4, 4), three_levels(), objective));
}

// A state after the innermost level, over the tile m = 2, with nothing in place; 10 units spent.
inline PartialMapping state_of(const ExactToy& toy) {
  PartialMapping s = toy.steps.root(0, 0);
  s.tile = toy.tile({2});
  s.iterations = 32;
  s.sum[0] = 10;
  return s;
}

}  // namespace heliolite::testing

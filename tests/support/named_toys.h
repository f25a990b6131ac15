#pragma once
// Toys for the exact search by name: a matrix product and a convolution, with fan-outs, bandwidths and constraints.
#include <vector>

#include "tests/support/exact_toy.h"

namespace heliolite::testing {

// O[p] += I[p+r] * W[r].
inline Workload sliding(u64 p, u64 r) {
  return make_workload("conv", {{"P", p}, {"R", r}},
                       {{"O", "P", Role::Output}, {"I", "P+R"}, {"W", "R", Role::Weight}});
}

struct NamedToy {
  const char* name;
  Workload workload;
  Architecture machine;
  Objective objective = Objective::Energy;
};

inline std::vector<NamedToy> named_toys() {
  const std::vector<ToyLevel> plain{{.entries = 6, .read = 1, .fill = 1, .update = 1},
                                    {.entries = 12, .read = 5, .fill = 4, .update = 3},
                                    {.read = 100, .update = 70}};
  auto spread = plain;
  spread[1].fanout_x = 2;
  Architecture narrow = toy_machine(spread);
  narrow.levels[1].bandwidth.read = 0.5;
  narrow.levels[2].bandwidth.shared = 0.25;
  Architecture fixed = toy_machine(plain);
  fixed.levels[2].constraints.temporal.allowed = {"M", "N"};  // k must be complete inside
  Architecture slid = toy_machine(spread);
  slid.levels[2].constraints.temporal.allowed = {"P"};
  return {{"gemm", gemm(2, 2, 4), toy_machine(plain)},
          {"gemm, fan-out", gemm(2, 2, 4), toy_machine(spread)},
          {"gemm, bandwidths", gemm(2, 2, 2), narrow, Objective::Edp},
          {"gemm, no loop over k outside", gemm(2, 2, 4), fixed},
          {"convolution", sliding(4, 3), toy_machine(plain)},
          {"convolution, r inside", sliding(4, 2), slid},
          {"convolution, bandwidths", sliding(4, 2), narrow, Objective::Edp}};
}

}  // namespace heliolite::testing

#pragma once
// The fan-outs of a machine as the exact search sees them: every way to unroll dimensions over each of them, and the
// extremes over all ways, from which the bounds judge fan-outs that are not chosen yet.
#include <array>
#include <span>
#include <vector>

#include "engine/search/exact/spatial_choice.h"

namespace heliolite {

// All choices of one fan-out. `left`: the iterations of each dimension outside the tile below the fan-out, which a
// choice has to divide; of a cell of the lattice's grid, the greatest number of instances and the least ratio.
struct FanoutChoices {
  bool exists = false;                 // false: one instance, nothing else is set
  bool hops = false;                   // energy on the way depends on how the factors are split between X and Y
  std::vector<SpatialChoice> choices;  // most instances first
  // [cell of left]: most instances of this fan-out and all outside it, if all choices together divide it.
  std::vector<double> most_instances;
  // [tensor][cell of left]: least ratio of distinct receivers to instances of a choice that divides it.
  std::array<std::vector<double>, kMaxTensors> least_spread;
  // [k][tensor]: these ratios of one choice, for all tensors together; every choice is nowhere below one of them.
  std::vector<std::array<double, kMaxTensors>> joint_spreads;
  std::array<double, kMaxTensors> most_receivers{};  // [tensor]: most distinct receivers of any choice
  double most_reducing = 1;                          // most SpatialChoice::reducing of any choice
};

// [level]: the fan-out below the level, for every keep choice. Empty if they take more than `most_bytes`.
std::vector<FanoutChoices> make_fanout_choices(const LayerProblem& problem, const Lattice& lattice,
                                               u64 most_bytes = ~u64{0});

// The same fan-outs with only some of their choices. [level]: indices in rising order.
std::vector<FanoutChoices> with_choices(const Compiled& compiled, const Lattice& lattice,
                                        std::span<const FanoutChoices> all, std::span<const std::vector<u32>> kept);

// Memory that the fan-outs take.
u64 bytes(std::span<const FanoutChoices> fanouts);

}  // namespace heliolite

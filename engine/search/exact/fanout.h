#pragma once
// The fan-outs of a machine as the exact search sees them: every way to unroll dimensions over each of them, and the
// extremes over all ways, from which the bounds judge fan-outs that are not chosen yet.
#include <array>
#include <span>
#include <vector>

#include "engine/search/core/layer_problem.h"
#include "engine/space/lattice.h"

namespace heliolite {

// One way to unroll dimensions over a fan-out.
struct SpatialChoice {
  LatticePoint factor;   // unrolled by dimension, both axes together
  Extents x, y;          // [dimension]: unrolled along each axis
  double instances = 1;  // in use: the product of all factors
  // [tensor]: instances that need different words; not for tensors in `slides`.
  std::array<double, kMaxTensors> spread{};
  TensorMask slides = 0;  // tensors whose receivers may overlap, so that the spread needs the tile
  TensorMask peers = 0;   // of these, tensors of which receivers may take words from peers
  double reducing = 1;    // most instances that add to the same output word
  std::array<double, kMaxTensors> hop_units{};  // [tensor]: as the function below; 0 for tensors in `slides`
};

// Least ratio of the receivers that need different words of the tensor to the instances in use, whatever the tile:
// along one dimension of each rank all receivers differ.
double least_spread(const CompiledTensor& tensor, const SpatialChoice& choice);

// Energy units (2^-32 pJ) to send one word of tensor v from each sender to all its receivers through the fan-out below
// `level`, when `choice` unrolls tiles of extent `tile` (by dimension).
double hop_units(const LayerProblem& problem, int level, const SpatialChoice& choice, int v, const Extents& tile);

// Number of instances that need different tiles of the tensor when `choice` unrolls tiles of extent `tile`.
double distinct_receivers(const CompiledTensor& tensor, const SpatialChoice& choice, const Extents& tile);

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

// Fan-outs with only some of the choices of `all`. [level]: indices in rising order.
std::vector<FanoutChoices> with_choices(const Compiled& compiled, const Lattice& lattice,
                                        std::span<const FanoutChoices> all, std::span<const std::vector<u32>> kept);

// Memory that the fan-outs take.
u64 bytes(std::span<const FanoutChoices> fanouts);

}  // namespace heliolite

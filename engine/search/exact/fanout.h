#pragma once
// The fan-outs of a machine as the exact search sees them: every way to unroll dimensions over them, and what the
// bounds need to know of those that are not chosen yet.
#include <array>
#include <span>
#include <vector>

#include "engine/search/core/layer_problem.h"
#include "engine/space/lattice.h"

namespace heliolite {

// One way to unroll dimensions over a fan-out.
struct SpatialChoice {
  LatticePoint factor;
  Extents x, y;
  double instances = 1;
  std::array<double, kMaxTensors> spread{};     // distinct receivers, of tensors that do not slide here
  TensorMask slides = 0;                        // distinct receivers depend on the tile
  double reducing = 1;                          // receivers that share an output word
  std::array<double, kMaxTensors> hop_units{};  // energy of one word from a sender to all receivers; 0 if it slides
};

struct FanoutChoices {
  bool exists = false;
  bool hops = false;                   // what a word costs on the way depends on the axes
  std::vector<SpatialChoice> choices;  // most instances first
  std::vector<u32> most_instances;     // [lattice index of what is left]: over the choices that divide it
  // [tensor][lattice index of what is left], over the choices that divide it: least distinct receivers / instances.
  std::array<std::vector<double>, kMaxTensors> least_spread;
  std::array<double, kMaxTensors> most_receivers{};  // over the choices: distinct receivers
  double most_reducing = 1;
};

// [i]: of the fan-out below level i, whatever is kept where. Empty if they take more than `most_bytes`.
std::vector<FanoutChoices> make_fanout_choices(const LayerProblem& problem, const Lattice& lattice,
                                               u64 most_bytes = ~u64{0});

// Memory that they take.
u64 bytes(std::span<const FanoutChoices> fanouts);

// Energy units of one word of tensor v from each sender to all its receivers, when `choice` unrolls over tiles of this
// extent.
double hop_units(const LayerProblem& problem, int level, const SpatialChoice& choice, int v, const Extents& tile);

// Distinct receivers of tensor v when `choice` unrolls over tiles of this extent.
double distinct_receivers(const CompiledTensor& tensor, const SpatialChoice& choice, const Extents& tile);

}  // namespace heliolite

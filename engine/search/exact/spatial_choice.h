#pragma once
// One way to unroll dimensions over a fan-out: which of its instances need different words of each tensor, and what the
// words cost on their way to them.
#include <array>

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
  TensorMask linked = 0;  // of these, tensors that receivers may take from neighbours (docs/rules/link_transfers.md)
  double reducing = 1;    // most instances that add to the same output word
  std::array<double, kMaxTensors> hop_units{};  // [tensor]: as the function below; 0 for tensors in `slides`
};

// The unrolling by `factor` over the fan-out below `level`, of which `x` and `y` (by dimension) lie along its axes.
SpatialChoice make_spatial_choice(const LayerProblem& problem, int level, const LatticePoint& factor, const Extents& x,
                                  const Extents& y);

// Least ratio of the receivers that need different words of the tensor to the instances in use, whatever the tile:
// along one dimension of each rank all receivers differ.
double least_spread(const CompiledTensor& tensor, const SpatialChoice& choice);
// The same if words move on by links. Of receivers in a row along a move some have nobody before them: at least one for
// each place across it, so that one rank at most counts as one receiver.
double least_linked_spread(const CompiledTensor& tensor, const SpatialChoice& choice);

// Energy units (2^-32 pJ) to send one word of tensor v from each sender to all its receivers through the fan-out below
// `level`, when `choice` unrolls tiles of extent `tile` (by dimension).
double hop_units(const LayerProblem& problem, int level, const SpatialChoice& choice, int v, const Extents& tile);

// Number of instances that need different tiles of the tensor when `choice` unrolls tiles of extent `tile`.
double distinct_receivers(const CompiledTensor& tensor, const SpatialChoice& choice, const Extents& tile);

}  // namespace heliolite

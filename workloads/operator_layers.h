#pragma once
// Operators on edges as layers of their own: a network says that a softmax, a normalisation, an activation or a sum
// stands between two layers, which moves no words and costs nothing as long as it is merged with its neighbours. Here
// each becomes Einsums with the words that they read and write, and a price in operations of a compute unit, for
// machines that have a unit for them (docs/operators.md).
#include <string_view>

#include "engine/base/operation.h"
#include "engine/base/result.h"
#include "workloads/network.h"

namespace heliolite {

// Operations of a compute unit that operators take at each point, where the user may say how many.
struct OperatorPrices {
  u64 exponential = 6;  // Nayak et al., FuseMax, MICRO 2024: six multiply-accumulates, one after the other
  u64 activation = 1;   // as a comparison with 0
};

// One kind of layer that operators become: what it computes at a point, and of how many operations.
struct OperatorLayer {
  std::string_view name;  // behind the name of what it works on
  Operation operation;
  u64 operations;  // beside exponentials
  u64 exponentials;
};

// First each row's greatest value and sum of exponentials as one word, then each word by it; so for mean and variance.
inline constexpr OperatorLayer kSoftmaxRows{"softmax_rows", Operation::Softmax, 3, 1};  // compare, subtract, add
inline constexpr OperatorLayer kSoftmaxWords{"softmax", Operation::Softmax, 1, 1};      // subtract
inline constexpr OperatorLayer kNormRows{"norm_rows", Operation::Norm, 2, 0};           // sum, and sum of squares
inline constexpr OperatorLayer kNormWords{"norm", Operation::Norm, 2, 0};               // two multiply-adds
inline constexpr OperatorLayer kPool{"pool", Operation::Pool, 1, 0};                    // of each word of a window
inline constexpr OperatorLayer kResize{"resize", Operation::Resize, 1, 0};              // of each word that is made

// The network with such layers, and edges that lead through none; sums and gates of k terms are one layer of k - 1
// operations, with the activations of the terms. Layers and inputs keep their order, the new ones stand before their
// first reader; what several layers read is made once. Errors: more terms than a layer has operands.
Result<Network> with_operator_layers(const Network& network, const OperatorPrices& prices = {});

// Whether an operator, a sum or a gate stands on some edge.
bool has_operators(const Network& network);

}  // namespace heliolite

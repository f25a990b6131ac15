#pragma once
// Charges the words of each array of a network to one layer, so that no word is charged twice, and none at all that may
// stay inside. Rules and proof: docs/rules/bounds_network.md.
#include <vector>

#include "engine/bounds/network/network_unnamed.h"
#include "workloads/network.h"
#include "workloads/word_unit.h"

namespace heliolite {

// In what sizes of words the arrays of a network are at least held and moved, where the layers at both ends of an edge
// may state different ones. Proof: docs/rules/bounds_network.md.

struct NetworkSizes {
  // [layer][tensor]: units of each word of the operand, or of what it is made of, in any layer's size; of each partial
  // sum of an output.
  std::vector<std::vector<u64>> tensor;
  std::vector<u64> input;  // [input]: of each of its words
};

// `unit`: that of the network, word_unit().
NetworkSizes network_sizes(const Network& network, Unnamed unnamed, const WordUnit& unit);

inline constexpr u64 kNoBorder = ~u64{0};

// How the words of a layer's tensor are charged.
struct TensorCharge {
  bool counted = true;  // its loads (an output's stores) are this layer's, and nobody else's
  u64 arrays = 0;       // the layer's repetitions read so many in all, each in a row of them: counted once; 0: each one
  u64 unmoved = 0;      // elements that may appear, or vanish, once without being moved
  u64 compulsory = 0;   // words that cross at least once
  u64 size = 1;         // units in which each of its words is inside or crosses, at least
  u64 made = kNoBorder;  // words of what a counted operand is made of, at least: if it takes more, the rest is border
};

struct NetworkCharges {
  // [layer][tensor]; where a layer reads a tensor at several places, each has the charge of the first.
  std::vector<std::vector<TensorCharge>> layer;
  u64 inputs = 0;  // units of inputs that no layer counts: each is loaded at least once, repetitions included
};

// `unit`: that of the network, word_unit().
NetworkCharges network_charges(const Network& network, Unnamed unnamed, const WordUnit& unit = {});

}  // namespace heliolite

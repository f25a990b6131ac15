#pragma once
// A lower bound of what a whole network moves, however its layers are interleaved or fused: each layer's own words,
// intermediates not charged where they may stay inside, and no word charged to two layers. Proof:
// docs/rules/bounds_network.md.
#include <string>
#include <vector>

#include "workloads/network.h"
#include "workloads/word_bits.h"

namespace heliolite {

// Charges the words of each array of a network to one layer, so that no word is charged twice, and none at all that may
// stay inside. Rules and proof: docs/rules/bounds_network.md.

// Operands that a network does not name: whether the same words may stand behind several of them.

// What is assumed of operands without an edge.
enum class Unnamed : u8 {
  Apart,     // each is an array of its own, and an output without an edge leaves
  Anything,  // inputs may be one array, parts of one, or any layer's output; weights are arrays of their own
};

// The operands of a network that have no edge. Refers to the network.
class UnnamedOperands {
 public:
  UnnamedOperands(const Network& network, Unnamed unnamed);

  // Whether the operand has no edge and may be the same array as another operand or as what a layer makes. Never under
  // Unnamed::Apart.
  bool may_be_shared(int layer, int tensor) const;
  // Whether such an operand may be the layer's output.
  bool may_take_output(int layer) const;
  // Whether there is such an operand at all.
  bool any() const;
  // Names, such as "B of q_proj", of those with as many words as another one, which are likely one array. In a layer
  // that is repeated the operand of another repetition counts as another one.
  std::vector<std::string> equal() const;

 private:
  struct Place {
    int layer = 0, tensor = 0;
  };

  bool may_feed(int from, int to) const;

  const Network& network_;
  std::vector<Place> unnamed_;
  std::vector<std::vector<bool>> before_;  // [layer][other]: its output leads to the other, or is its own
};

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
  bool counted = true;   // its loads (an output's stores) are this layer's, and nobody else's
  u64 arrays = 0;        // arrays that all repetitions read, each in a row of them: counted once; 0: each one
  u64 unmoved = 0;       // elements that may appear, or vanish, once without being moved
  u64 compulsory = 0;    // words that cross at least once
  u64 size = 1;          // units in which each of its words is inside or crosses, at least
  u64 made = kNoBorder;  // words of what a counted operand is made of, at least: if it takes more, the rest is border
};

struct NetworkCharges {
  // [layer][tensor]; where a layer reads a tensor at several places, each has the charge of the first.
  std::vector<std::vector<TensorCharge>> layer;
  u64 inputs = 0;  // units of inputs that no layer counts: each is loaded at least once, repetitions included
};

// `unit`: that of the network, word_unit().
NetworkCharges network_charges(const Network& network, Unnamed unnamed, const WordUnit& unit = {});

struct NetworkBound {
  u64 words = 0;           // in the unit: loads and stores of one run of the network, at least
  std::vector<u64> layer;  // [layer]: its part of them, all its repetitions together
};

// The bound for a memory of `capacity` units, over executions that do no MAC twice. `unit`: that of the network,
// word_unit(); by default all words have one size.
NetworkBound network_bound(const Network& network, double capacity, Unnamed unnamed = Unnamed::Apart,
                           const WordUnit& unit = {});

}  // namespace heliolite

#pragma once
// Operands that a network does not name: whether the same words may stand behind several of them.
#include <string>
#include <vector>

#include "workloads/network.h"

namespace heliolite {

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

}  // namespace heliolite

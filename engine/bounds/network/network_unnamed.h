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

class UnnamedOperands {
 public:
  UnnamedOperands(const Network& network, Unnamed unnamed);

  // The operand has no edge and may be what another operand is, or what a layer makes. Never under Unnamed::Apart.
  bool may_be_shared(int layer, int tensor) const;
  // Some such operand may be the layer's output.
  bool may_take_output(int layer) const;
  bool any() const;
  // Those of as many words as another one, likely to be one array: "B of q_proj". A repeated layer's with its own.
  std::vector<std::string> equal() const;

 private:
  struct Place {
    int layer = 0, tensor = 0;
  };

  bool may_feed(int from, int to) const;

  const Network& network_;
  std::vector<Place> unnamed_;
  std::vector<std::vector<bool>> before_;  // by layer: which layers its output leads to, itself included
};

}  // namespace heliolite

#pragma once
// The order of each level's temporal loops as columns, and how often it makes a tensor move (docs/cost_model.md, the
// closed form): the loops from the innermost that moves the tensor outwards. Loops that move it are counted by their
// factors; what the orders decide is which of the others are.
#include <string>
#include <vector>

#include "engine/search/cosa/mapping_program.h"
#include "engine/search/cosa/mip.h"

namespace heliolite {

class LoopOrders {
 public:
  // Adds the columns of level 1 and all levels outside it: no tile is inside level 0. All must outlive this object.
  LoopOrders(const Mapspace& space, const FactorColumns& factors, Mip& mip);

  // log2 of the product of those temporal loops outside the tile of level i that do not move the tensor and yet make it
  // move again, because one that moves it is inside them. `moves`: the dimensions that move it; `name`: of the tensor.
  LinearForm repeats(int i, DimensionMask moves, const std::string& name);

  // The dimensions of level i's loops, innermost first, in an answer.
  std::vector<u8> order(int i, std::span<const double> values) const;

 private:
  struct Level {
    std::vector<u8> loops;                        // dimensions; those that the machine orders come first
    std::vector<int> active;                      // [loop]: binary, it has more than one iteration
    std::vector<std::vector<LinearForm>> inside;  // [a][b]: 1 if loop a is inside loop b, else 0
  };

  Level add_level(int i);
  void add_transitivity(int i, const Level& level);
  int at_least_all(const std::string& name, const std::vector<LinearForm>& forms);

  const Mapspace& space_;
  const FactorColumns& factors_;
  Mip& mip_;
  std::vector<Level> levels_;  // [level]
};

}  // namespace heliolite

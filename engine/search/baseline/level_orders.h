#pragma once
// The loop orders that can matter at each level, for searches that try all of them on a tiling.
#include <vector>

#include "engine/search/core/layer_problem.h"
#include "engine/space/nest_writer.h"
#include "engine/space/order_trie.h"

namespace heliolite {

// Of one layer. The problem must outlive it.
class OrderChoices {
 public:
  explicit OrderChoices(const LayerProblem& problem);

  // The distinct orders of the loops of more than one iteration at a level, innermost first; at least one, which may
  // be of no loop. At the innermost level, where none changes anything, one.
  using Orders = std::vector<std::vector<u8>>;
  Orders of(const PlaceFactors& factors, int level) const;

 private:
  std::vector<std::vector<LoopOrder>> kept_;  // [level]
};

// Sets one level's order.
void set_order(LevelOrders& orders, int level, const std::vector<u8>& loops);

}  // namespace heliolite

#pragma once
// Directed searches, in the manner of dMazeRunner and of Interstellar (strategies.h): the tilings that they look at,
// those that use enough of the compute units and of the memories.
#include <functional>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/search/core/layer_problem.h"
#include "engine/space/order_trie.h"
#include "engine/space/splits.h"

namespace heliolite {

// The loop orders that can matter at each level, for searches that try all of them on a tiling.

// The loop orders of each level that a walk of one layer tries. The problem must outlive it.
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

// Shares that a tiling must use, 0 to 1.
struct LeastUse {
  double units = 0;  // share of the compute units, by the fan-outs' factors
  double inner = 0;  // share of the innermost memory's words
  double outer = 0;  // share of each other memory's words but those without a limit
};

// What a search leaves out besides; an empty one leaves nothing out. They return whether the tiling may stay.
struct DirectedRules {
  // Called when all factors of the fan-outs are chosen, the others are 1.
  std::function<bool(const PlaceFactors&)> unrolling;
  // Called for each complete tiling.
  std::function<bool(const PlaceFactors&)> tiling;
};

// Walks the tilings of one layer with perfect factors: first the fan-outs, then the loops of level after level, inside
// out. Every level keeps what it may.
//
// A memory is a level with a capacity, or several next to each other that hold different tensors: the scratchpads of a
// processing element are one.
class DirectedWalk {
 public:
  // The problem must outlive it. `over`: asked now and then, the walk ends when it returns true.
  DirectedWalk(const LayerProblem& problem, std::function<bool()> over);

  // Calls visit(tiling) for each tiling whose tiles fit; one that returns false ends the walk, which then returns
  // false.
  using Visit = std::function<bool(const PlaceFactors&)>;
  bool run(const LeastUse& least, const DirectedRules& rules, const Visit& visit);

  const KeepMasks& keep() const { return keep_; }

 private:
  struct Memory {
    int first = 0, last = 0;  // levels
    u64 words = 0;            // that it holds
  };

  bool unroll(std::size_t fanout, int d);
  bool unrolled();
  bool loops(int level, int d);
  bool level_done(int level);
  u64 used(int level) const;
  bool over();

  const LayerProblem& problem_;
  std::function<bool()> is_over_;
  Splits splits_;
  KeepMasks keep_;
  std::vector<int> fanouts_;    // levels with a fan-out below
  std::vector<Memory> memory_;  // innermost first
  u64 units_ = 1;

  // What the walk that is under way asks for.
  LeastUse least_;
  const DirectedRules* rules_ = nullptr;
  const Visit* visit_ = nullptr;
  PlaceFactors factors_;
  std::array<u32, kMaxDimensions> left_{};
  std::array<std::array<u64, 2>, kMaxLevels> room_{};  // [level]: left along X and Y of its fan-out
  Extents tile_{};                                     // tile of the level whose loops are chosen
  std::array<u64, kMaxLevels> used_{};                 // [level]: words of its tiles
  u64 steps_ = 0;
};

}  // namespace heliolite

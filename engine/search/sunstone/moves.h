#pragma once
// Small changes of a complete plan: a prime factor of a dimension moves to another place. What is legal follows from
// the mapspace alone; whether it fits, the cost model says.
#include <array>
#include <utility>
#include <vector>

#include "engine/search/sunstone/plan.h"
#include "engine/space/mapspace.h"

namespace heliolite {

struct Move {
  u8 dimension = 0;
  u8 from = 0;  // places
  u8 to = 0;
  u32 factor = 1;
};

class MoveSpace {
 public:
  explicit MoveSpace(const Mapspace& space);

  // Every legal single move of the plan, in canonical order.
  void list(const Plan& plan, std::vector<Move>& out) const;

  // (level, tensor) pairs that the machine leaves open: kept or bypassed as is cheaper.
  const std::vector<std::pair<u8, u8>>& open_keeps() const { return open_; }

  // Whether the dimension's factors obey the limits of every place.
  bool legal(const Plan& plan, int dimension) const;

  // The same after a move of a legal plan.
  bool legal(const Plan& plan, const Move& m) const;

 private:
  bool legal_at(const Plan& plan, int dimension, int slot) const;  // at the place's level

  const Mapspace& space_;
  std::array<std::vector<u8>, kMaxDimensions> slots_;    // that the dimension may use
  std::array<std::vector<u32>, kMaxDimensions> primes_;  // of its size
  std::vector<std::pair<u8, u8>> open_;
};

inline void apply(Plan& plan, const Move& m) {
  plan.factor[m.from][m.dimension] /= m.factor;
  plan.factor[m.to][m.dimension] *= m.factor;
}

inline void undo(Plan& plan, const Move& m) {
  plan.factor[m.from][m.dimension] *= m.factor;
  plan.factor[m.to][m.dimension] /= m.factor;
}

}  // namespace heliolite

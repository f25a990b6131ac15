#pragma once
// Small changes of a complete plan: a prime factor of a dimension moves to another place. What is legal follows from
// the mapspace alone; whether it fits, the cost model says.
#include <array>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// A mapping while it is being searched: factors by place and dimension. Places (docs/glossary.md) are told
// apart by axis here: in nest order X, Y and temporal of level 0, then of level 1, and so on.

inline constexpr int kMaxLoopPlaces = 3 * kMaxLevels;

// The number of a place, and its level and kind.
constexpr int loop_place_of(LoopKind kind, int level) { return 3 * level + static_cast<int>(kind); }
constexpr int level_of(int loop_place) { return loop_place / 3; }
constexpr LoopKind kind_of(int loop_place) { return static_cast<LoopKind>(loop_place % 3); }

// A plan; a partial one has factors 1 where nothing is decided yet.
struct Plan {
  std::array<Extents, kMaxLoopPlaces> factor;  // [place][dimension]: iterations; 1: no loop
  std::array<u16, kMaxLevels> order{};         // [level]: index into Ladder::orders(level)
  std::array<TensorMask, kMaxLevels> keep{};   // [level]: tensors kept

  Plan() {
    for (Extents& f : factor) f.fill(1);
  }
  // Iterations of a dimension over time at a level.
  u32& temporal(int level, int d) { return factor[at(loop_place_of(LoopKind::Temporal, level))][at(d)]; }
  u32 temporal(int level, int d) const { return factor[at(loop_place_of(LoopKind::Temporal, level))][at(d)]; }
  auto operator<=>(const Plan&) const = default;
};

// The prime `factor` of a dimension moves from one place to another.
struct Move {
  u8 dimension = 0;
  u8 from = 0;  // places as in plan.h
  u8 to = 0;
  u32 factor = 1;
};

// The moves that the mapspace allows, which must outlive this object.
class MoveSpace {
 public:
  explicit MoveSpace(const Mapspace& space);

  // Writes every legal move of the plan into `out`, in canonical order.
  void list(const Plan& plan, std::vector<Move>& out) const;

  // The (level, tensor) pairs for which the machine leaves open whether the level keeps the tensor.
  const std::vector<std::pair<u8, u8>>& open_keeps() const { return open_; }

  // Whether the plan's factors of the dimension obey the limits of every place.
  bool legal(const Plan& plan, int dimension) const;

  // The same of all dimensions.
  bool legal(const Plan& plan) const;

  // Whether a plan that was legal before the move m, and has been changed by it, is legal.
  bool legal(const Plan& plan, const Move& m) const;

 private:
  bool legal_at(const Plan& plan, int dimension, int loop_place) const;  // at the place's level

  const Mapspace& space_;
  std::array<std::vector<u8>, kMaxDimensions> loop_places_;  // [dimension]: places that it may use
  std::array<std::vector<u32>, kMaxDimensions> primes_;      // [dimension]: primes of its size
  std::vector<std::pair<u8, u8>> open_;
};

// Makes a move, and takes it back.
inline void apply(Plan& plan, const Move& m) {
  plan.factor[m.from][m.dimension] /= m.factor;
  plan.factor[m.to][m.dimension] *= m.factor;
}

inline void undo(Plan& plan, const Move& m) {
  plan.factor[m.from][m.dimension] *= m.factor;
  plan.factor[m.to][m.dimension] /= m.factor;
}

}  // namespace heliolite

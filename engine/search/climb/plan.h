#pragma once
// A mapping while it is being searched, and small changes of it: loop ends by place and dimension, loop orders, kept
// tensors. Places (docs/glossary.md) are told apart by axis here: in nest order X, Y and temporal of level 0, then of
// level 1, and so on. With perfect factors the ends of a dimension multiply to its size; else each is the iterations of
// a loop that may end early, and the residuals follow from the ends (docs/rules/any_factors.md).
#include <array>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/search/core/objective.h"
#include "engine/space/mapspace.h"
#include "engine/space/splits.h"

namespace heliolite {

inline constexpr int kMaxLoopPlaces = 3 * kMaxLevels;

// The number of a place, and its level and kind.
constexpr int loop_place_of(LoopKind kind, int level) { return 3 * level + static_cast<int>(kind); }
constexpr int level_of(int loop_place) { return loop_place / 3; }
constexpr LoopKind kind_of(int loop_place) { return static_cast<LoopKind>(loop_place % 3); }

// [place][dimension]: iterations; 1: no loop.
using LoopEnds = std::array<Extents, kMaxLoopPlaces>;

// `Orders`: how a search writes the loop orders of all levels.
template <class Orders>
struct PlanWith {
  LoopEnds factor;
  Orders order{};
  std::array<TensorMask, kMaxLevels> keep{};  // [level]: tensors kept

  PlanWith() {
    for (Extents& f : factor) f.fill(1);
  }
  // Iterations of a dimension over time at a level.
  u32& temporal(int level, int d) { return factor[loop_place_of(LoopKind::Temporal, level)][d]; }
  u32 temporal(int level, int d) const { return factor[loop_place_of(LoopKind::Temporal, level)][d]; }
  auto operator<=>(const PlanWith&) const = default;
};

// With perfect factors, each order an index into Ladder::orders(level). A partial plan has factors 1 where nothing is
// decided yet.
using Plan = PlanWith<std::array<u16, kMaxLevels>>;

// A plan of all tile sizes: at each level every dimension of size above 1 that may loop there.
using TilePlan = PlanWith<LevelOrders>;

// The cost of a plan and its value for the objective; both mean nothing if it does not fit.
struct Score {
  bool fits = false;
  Cost cost;
  Value value = Value::worst();
};

// A complete plan with its score.
template <class P>
struct Scored {
  P plan;
  Score score;

  // Canonical order: by value, then by the plan itself.
  bool better_than(const Scored& other) const {
    if (score.value != other.score.value) return score.value < other.score.value;
    return plan < other.plan;
  }
};
using Candidate = Scored<Plan>;

// Small changes of a complete plan: the loop of a dimension at one place gets other iterations, the one at another
// place makes up for it. Which numbers a loop may have is the only difference between perfect factors and all tile
// sizes. What is legal follows from the mapspace alone; whether it fits, the cost model says.

// Which ends loops may have.
enum class Ends : u8 {
  Dividing,  // perfect factors
  Useful,    // any; of those with as many iterations outside only the least, and what fills an axis
  All,       // any
};

// How far a move goes; perfect factors always move by one prime.
enum class MoveReach : u8 {
  Near,  // to the ends next to the present one, to 1 and to the largest
  Far,
};

// One change of a dimension's loops.
struct Move {
  u8 dimension = 0;
  u8 from = 0;     // place whose loop changes
  u8 to = 0;       // place whose loop makes up for it
  u32 factor = 1;  // perfect factors: the prime that goes from one to the other; else the new end at `from`
};

// [place]: the ends of one dimension.
using LoopColumn = std::array<u32, kMaxLoopPlaces>;

// The moves that the mapspace allows, which must outlive this object.
class MoveSpace {
 public:
  MoveSpace(const Mapspace& space, Ends ends);

  // Writes the moves of every dimension of the plan but one into `out`, in canonical order; of perfect factors
  // those that break no limit now.
  void list(const LoopEnds& plan, MoveReach reach, std::vector<Move>& out, int but = -1) const;

  // Makes the move. Returns false if the result breaks a limit of the machine; then the dimension's loops are of no
  // use.
  bool apply(LoopEnds& plan, const Move& m) const;

  // The loops of a dimension, and puts them back.
  LoopColumn column(const LoopEnds& plan, int d) const {
    LoopColumn out;
    for (int p = 0; p < place_count_; ++p) out[p] = plan[p][d];
    return out;
  }
  void restore(LoopEnds& plan, int d, const LoopColumn& column) const {
    for (int p = 0; p < place_count_; ++p) plan[p][d] = column[p];
  }

  // Whether two moves of different dimensions meet at a place, so that one may make room for the other. With perfect
  // factors either may come first, and only one order counts.
  bool meet(const Move& a, const Move& b) const;

  // Makes up for what the other places leave of dimension d: the end at `absorber` is the least that covers the
  // dimension, ends that would never be reached are cut. False when a limit is broken. Not of perfect factors.
  bool absorb(LoopEnds& plan, int d, int absorber) const;

  // Writes into `out`, ascending, the ends that the loop of dimension d at a place may have, the loops inside it as
  // they are. Not of perfect factors.
  void useful_ends(const LoopEnds& plan, int d, int loop_place, std::vector<u32>& out) const;

  // The dimensions of size above 1 that may have a loop at a place.
  DimensionMask allowed(int loop_place) const { return allowed_[loop_place]; }
  int place_count() const { return place_count_; }

  // The (level, tensor) pairs for which the machine leaves open whether the level keeps the tensor.
  const std::vector<std::pair<u8, u8>>& open_keeps() const { return open_; }

  // Whether the plan's factors obey the limits of every place: those of one dimension, and all.
  bool legal(const LoopEnds& plan, int dimension) const;
  bool legal(const LoopEnds& plan) const;

 private:
  void list_dividing(LoopEnds& trial, int d, std::vector<Move>& out) const;
  void list_useful(const LoopEnds& plan, int d, MoveReach reach, std::vector<Move>& out) const;
  bool legal_at(const LoopEnds& plan, int dimension, int loop_place) const;  // at the place's level
  u64 room(const LoopEnds& plan, int d, int loop_place) const;

  const Mapspace& space_;
  const Ends ends_;
  const int place_count_;
  std::array<DimensionMask, kMaxLoopPlaces> allowed_{};      // [place]
  std::array<std::vector<u8>, kMaxDimensions> loop_places_;  // [dimension]: places that it may use
  std::array<std::vector<u32>, kMaxDimensions> primes_;      // [dimension]: primes of its size
  std::vector<std::pair<u8, u8>> open_;
};

}  // namespace heliolite

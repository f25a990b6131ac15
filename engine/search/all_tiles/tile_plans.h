#pragma once
// Plans of any tile sizes (climb/plan.h), the mappings that they stand for, and what climbs among them price. Each
// dimension is a chain of loop ends over the places of the mapspace; residuals follow from the ends
// (docs/rules/any_factors.md). Deterministic: what a climb does depends on the start, the evaluations allowed, and
// nothing else (a stop from outside or a time limit aside). It never takes more evaluations than that.
#include "engine/search/climb/climb.h"
#include "engine/search/climb/plan.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/space/mapspace.h"
#include "engine/space/splits.h"

namespace heliolite {

// The plans of a mapspace, which must outlive it, with their moves.
class TilePlans {
 public:
  // `useful_only`: of the ends with as many iterations outside only the least, and what fills an axis.
  explicit TilePlans(const Mapspace& space, bool useful_only = true)
      : space_(space), moves_(space, useful_only ? Ends::Useful : Ends::All), writer_(space) {}

  const Mapspace& space() const { return space_; }
  const MoveSpace& moves() const { return moves_; }

  // The mapping that a plan stands for, and the plan of a mapping.
  Mapping mapping(const TilePlan& plan) const;
  TilePlan plan(const Mapping& mapping) const;

  // The machine's smallest factors, the rest at the outermost places that take it. False: there is no such plan.
  bool smallest(TilePlan& plan) const;

 private:
  void canonical_orders(TilePlan& plan) const;

  const Mapspace& space_;
  const MoveSpace moves_;
  const NestWriter writer_;
};

// One climb, or several that share a budget and what they have visited.
class TileClimbSpace {
 public:
  using Plan = TilePlan;
  static constexpr bool kOrdersAnew = false;

  TileClimbSpace(const LayerProblem& problem, const TilePlans& plans, const SearchBudget& budget)
      : problem_(problem), plans_(plans), budget_(budget), last_(budget.evaluations_left(0)), stopped_(budget.over()) {}

  const MoveSpace& moves() const { return plans_.moves(); }
  VisitedPlans& visited() { return visited_; }
  // Whether the budget is used up.
  bool is_exhausted() const { return evaluated_ >= last_ || stopped_; }
  // Plans priced so far.
  u64 evaluated() const { return evaluated_; }

  Score price(const TilePlan& plan);

  // Loop orders level by level: each loop that exists goes to each other place of its level, in one pass. The innermost
  // level's order changes no count.
  Score choose_orders(TilePlan& plan);
  Score better_orders(TilePlan& plan, Score score);

  bool larger_steps(Scored<TilePlan>&) { return false; }

 private:
  const LayerProblem& problem_;
  const TilePlans& plans_;
  const SearchBudget budget_;
  const u64 last_;
  u64 evaluated_ = 0;
  bool stopped_;
  VisitedPlans visited_;
};

}  // namespace heliolite

#pragma once
// What climbs (climb/climb.h) over imperfect factors price. Deterministic: what a climb does depends on the start, the
// evaluations allowed, and nothing else (a stop from outside or a time limit aside). It never takes more evaluations
// than that.
#include "engine/search/climb/climb.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/imperfect/imperfect_plan.h"

namespace heliolite {

// One climb, or several that share a budget and what they have visited.
class ImperfectClimbs {
 public:
  using Plan = ImperfectPlan;
  static constexpr bool kOrdersAnew = false;

  ImperfectClimbs(const LayerProblem& problem, const ImperfectPlanSpace& plans, const SearchBudget& budget)
      : problem_(problem), plans_(plans), budget_(budget), last_(budget.evaluations_left(0)), stopped_(budget.over()) {}

  const MoveSpace& moves() const { return plans_.moves(); }
  VisitedPlans& visited() { return visited_; }
  // Whether the budget is used up.
  bool spent() const { return evaluated_ >= last_ || stopped_; }
  // Plans priced so far.
  u64 evaluated() const { return evaluated_; }

  Score price(const ImperfectPlan& plan);

  // Loop orders level by level: each loop that exists goes to each other place of its level, in one pass. The innermost
  // level's order changes no count.
  Score choose_orders(ImperfectPlan& plan);
  Score better_orders(ImperfectPlan& plan, Score score);

  bool larger_steps(Scored<ImperfectPlan>&) { return false; }

 private:
  const LayerProblem& problem_;
  const ImperfectPlanSpace& plans_;
  const SearchBudget budget_;
  const u64 last_;
  u64 evaluated_ = 0;
  bool stopped_;
  VisitedPlans visited_;
};

}  // namespace heliolite

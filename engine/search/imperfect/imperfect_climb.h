#pragma once
// Hill-climbing over plans with imperfect factors. Deterministic: what it does depends on the start, the evaluations
// allowed, and nothing else (a stop from outside or a time limit aside). It never takes more evaluations than that.
#include <vector>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/imperfect/imperfect_plan.h"

namespace heliolite {

// A plan with its mapping and what that costs; cost and value mean nothing if it does not fit.
struct PricedPlan {
  ImperfectPlan plan;
  Mapping mapping;
  Cost cost;
  Value value = Value::worst();
  bool fits = false;
};

// One climb, or several that share a budget.
class ImperfectClimb {
 public:
  ImperfectClimb(const LayerProblem& problem, const ImperfectPlanSpace& plans, const SearchBudget& budget);

  PricedPlan price(const ImperfectPlan& plan);

  // Climbs from `start` to a local optimum, the cheapest kind of step first: loop orders, keep choices, single moves;
  // with `deep` also pairs of moves and moves with the orders chosen anew.
  PricedPlan climb(const PricedPlan& start, bool deep);

  // `start` with the best loop orders, chosen level by level.
  PricedPlan best_orders(const PricedPlan& start);

  // Plans priced so far.
  u64 evaluated() const { return evaluated_; }
  // Whether the budget is used up.
  bool spent() const { return evaluated_ >= last_ || stopped_; }

 private:
  bool take(const ImperfectPlan& plan, PricedPlan& best);
  bool orders(PricedPlan& best);
  bool keeps(PricedPlan& best);
  bool single_moves(PricedPlan& best, bool near);
  bool pairs(PricedPlan& best);
  bool moves_with_orders(PricedPlan& best);
  void list(const ImperfectPlan& plan, bool near);

  const LayerProblem& problem_;
  const ImperfectPlanSpace& plans_;
  const SearchBudget budget_;
  const u64 last_;
  u64 evaluated_ = 0;
  bool stopped_;
  std::vector<EndMove> moves_;
};

}  // namespace heliolite

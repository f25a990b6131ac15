#pragma once
// Hill-climbing over plans with imperfect factors. Deterministic: what it does depends on the start, the evaluations
// allowed, and nothing else (a stop from outside or a time limit aside). It never takes more evaluations than that.
#include <vector>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/imperfect/imperfect_plan.h"

namespace heliolite {

struct PricedPlan {
  ImperfectPlan plan;
  Mapping mapping;
  Cost cost;
  Value value = Value::worst();
  bool fits = false;
};

class ImperfectClimb {
 public:
  ImperfectClimb(const LayerProblem& problem, const ImperfectPlanSpace& plans, const SearchBudget& budget);

  PricedPlan price(const ImperfectPlan& plan);

  // To a local optimum, cheapest kind of step first: loop orders, what is kept, single moves, pairs, moves with the
  // orders chosen anew. `deep`: the last two as well.
  PricedPlan climb(const PricedPlan& start, bool deep);

  // The best orders, level by level.
  PricedPlan best_orders(const PricedPlan& start);

  u64 evaluated() const { return evaluated_; }
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

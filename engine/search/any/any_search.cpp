#include "engine/search/any/any_search.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/search/any/partial_search.h"
#include "engine/search/core/limits.h"
#include "engine/search/imperfect/imperfect_bound.h"
#include "engine/search/imperfect/imperfect_search.h"

namespace heliolite {
namespace {

constexpr u64 kClimbEvaluations = 10'000;  // of each climb
constexpr u64 kMostKeepSpaces = 64;        // keep choices with tables of their own
constexpr u64 kRootEvaluations = 2'000;    // of step 2 for strategies that prove nothing by themselves

using KeepSpaces = std::vector<std::unique_ptr<KeepSpace>>;

// Step 2 or 3. Returns whether the answer is the optimum.
bool prove(const LayerProblem& problem, const KeepSpaces& keeps, bool dominance, const SearchBudget& budget,
           LayerAnswer& best) {
  PartialSearch search(problem, keeps, dominance, best);
  best.end = search.run(budget);
  best.lower_bound = std::max(best.lower_bound.value_or(0), search.proven() ? 0 : search.lower_bound());
  return search.proven();
}

// Step 1: from the perfect answer, and from the smallest factors, which are nobody's local optimum.
LayerAnswer climbed(const LayerProblem& problem, const LayerAnswer& perfect, const SearchBudget& budget) {
  const SearchBudget part = budget.half();
  LayerAnswer best = imperfect_search(problem, perfect, part.half().at_most(kClimbEvaluations));
  const LayerAnswer other =
      imperfect_search(problem, {}, part.after(best.statistics.evaluated).at_most(kClimbEvaluations));
  best.statistics += other.statistics;
  if (other.found) best.offer(problem.options.objective, other.mapping, other.cost);
  return best;
}

}  // namespace

LayerAnswer any_search(const LayerProblem& problem, const LayerAnswer& perfect, const SearchBudget& budget) {
  const Compiled& c = problem.model.compiled();
  const SearchBudget all = budget.limited() ? budget : budget.at_most(kAnyEvaluations);
  // Step 1.
  LayerAnswer best = climbed(problem, perfect, all);
  // Step 2.
  const std::vector<KeepMasks> choices = problem.keep_choices(kMostKeepSpaces);
  if (choices.empty()) {
    best.end = SearchEnd::Keeps;
    return best;
  }
  const TileRanges ranges(c);
  const u64 least_steps = least_imperfect_steps(c, problem.space);
  KeepSpaces keeps;
  for (const KeepMasks& keep : choices) {
    const u64 compulsory = compulsory_cost(problem.model, {keep, keep}).whole.cycles;
    keeps.push_back(std::make_unique<KeepSpace>(c, keep, ranges, std::max(least_steps, compulsory)));
  }
  const bool exact = problem.options.strategy == Strategy::Exact;
  const auto left = [&] { return all.after(best.statistics.evaluated); };
  best.complete = prove(problem, keeps, problem.options.rules[Rule::AnyDominance],
                        exact ? left() : left().at_most(kRootEvaluations), best);
  // Step 3.
  if (exact && !best.complete && best.end == SearchEnd::Done)
    best.complete = prove(problem, keeps, false, left(), best);
  return best;
}

}  // namespace heliolite

#include "engine/search/exact/range_passes.h"

#include <algorithm>
#include <cmath>

namespace heliolite {
namespace {

constexpr u64 kFirstEvaluations = 4'000'000;  // of a pass that leaves nothing out, before limits are tried
constexpr double kWideShare = 0.85;           // of the time that is left, for such a pass
constexpr int kMostLimits = 24;               // passes below a limit, one after the other

// A key that is `share` of the way from a to b; a < b.
ObjectiveKey between(const ObjectiveKey& a, const ObjectiveKey& b, double share) {
  if (a.first == b.first) return {a.first, a.second + (b.second - a.second) * share};
  const double first = a.first + (b.first - a.first) * share;
  // Whole cycles: nothing is between two of them.
  return {std::min(std::ceil(first), b.first), 0};
}

}  // namespace

SearchEnd spent(const SearchBudget& budget, u64 evaluated) {
  if (const SearchEnd end = budget.end(evaluated); end != SearchEnd::Done) return end;
  return budget.evaluations_left(evaluated) < kEvaluationSlack ? SearchEnd::Evaluations : SearchEnd::Done;
}

PassEnd RangePasses::pass(std::size_t width, const SearchBudget& budget) {
  const PassEnd out = search_.run(width, budget, incumbent_, watch_, look_);
  proven_ = std::max(proven_, out.least_left);
  return out;
}

SearchEnd RangePasses::run(const std::function<bool()>& in_parts) {
  // Who follows a witness wants to see what happens to it in one pass to the end.
  if (look_) {
    pass(kNarrow, budget_);
    return wide();
  }
  const PassEnd narrow = pass(kNarrow, budget_.at_most(before_parts_));
  if (incumbent_.cuts(proven_)) return SearchEnd::Done;
  if (narrow.by_budget && spent(budget_, evaluated()) == SearchEnd::Done) {
    if (in_parts()) return SearchEnd::Done;
    pass(kNarrow, budget_);
  }
  if (const SearchEnd end = spent(budget_, evaluated()); end != SearchEnd::Done) return end;
  const PassEnd first = pass(LayeredPass::kAnyWidth, budget_.at_most(evaluated() + before_parts_));
  if (first.complete || incumbent_.cuts(proven_)) return SearchEnd::Done;
  if (!first.by_budget && !first.by_memory) return SearchEnd::Flows;
  if (spent(budget_, evaluated()) == SearchEnd::Done && in_parts()) return SearchEnd::Done;
  return wide();
}

// Passes that leave nothing out, until one is complete. One that becomes long is given up for passes below a limit
// (rise), and tried again with more evaluations: mostly it is then a better incumbent's.
SearchEnd RangePasses::wide() {
  for (u64 most = kFirstEvaluations;; most *= 4) {
    const u64 before = evaluated();
    if (incumbent_.cuts(proven_)) return SearchEnd::Done;
    if (const SearchEnd end = budget_.end(before); end != SearchEnd::Done) return end;
    const bool to_the_end = static_cast<bool>(look_) || std::isinf(incumbent_.best().first);
    const u64 share = std::min(most, budget_.evaluations_left(before) / 4 * 3);
    const SearchBudget part = to_the_end ? budget_ : budget_.at_most(before + share).part_of_time(kWideShare);
    const PassEnd end = pass(LayeredPass::kAnyWidth, part);
    if (end.complete || incumbent_.cuts(proven_)) return SearchEnd::Done;
    if (!end.by_budget && !end.by_memory) return SearchEnd::Flows;
    if (!to_the_end) rise(evaluated() + most);
    if (!end.by_budget && !incumbent_.cuts(proven_)) return SearchEnd::Memory;
    if (!to_the_end && evaluated() > before) continue;
    const SearchEnd why = budget_.end(evaluated());
    if (why != SearchEnd::Done) return why;
    return budget_.limits_evaluations() ? SearchEnd::Evaluations : SearchEnd::Time;
  }
}

// Raises what is proven by passes that look only below a limit between it and the incumbent: the lower the limit, the
// less they have to look at. One that finds nothing proves its limit, one that finds something has the optimum of the
// range. Prices mappings until the search has priced `most`.
void RangePasses::rise(u64 most) {
  double share = 0.5;  // of the way to the incumbent
  for (int k = 0; k < kMostLimits && !incumbent_.cuts(proven_); ++k) {
    if (evaluated() >= most || budget_.end(evaluated()) != SearchEnd::Done) return;
    Incumbent below = incumbent_.below(between(proven_, incumbent_.best(), share));
    const SearchBudget part = budget_.at_most(evaluated() + (most - evaluated() + 1) / 2).part_of_time(0.5);
    const PassEnd pass = search_.run(LayeredPass::kAnyWidth, part, below, watch_, {});
    incumbent_.offer(below);
    proven_ = std::max(proven_, std::min(below.best(), pass.least_left));
    if (!pass.complete) share /= 4;
  }
}

}  // namespace heliolite

#include "engine/search/baseline/pricing.h"

#include <algorithm>

namespace heliolite {
namespace {

// Without the loops that a longer nest has left behind.
Mapping clean(const Mapping& mapping) {
  Mapping out = mapping;
  std::fill(out.loop.begin() + out.loop_count, out.loop.end(), Loop{});
  return out;
}

}  // namespace

bool Pricing::take(const Mapping& mapping, const Evaluation& e) {
  ++answer_.statistics.evaluated;
  const Objective objective = problem_.options.objective;
  if (e.verdict != Verdict::Fits || (answer_.found && answer_.value < Value::of(objective, e.cost))) return false;
  const bool better = !answer_.found || Value::of(objective, e.cost) < answer_.value;
  answer_.offer(objective, clean(mapping), e.cost);
  if (better) problem_.tell(objective_number(objective, e.cost), 0, answer_.statistics.evaluated);
  return better;
}

}  // namespace heliolite

#include "engine/search/core/pricing.h"

#include <algorithm>

#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

// Without the loops that a longer nest has left behind.
Mapping clean(const Mapping& mapping) {
  Mapping out = mapping;
  std::fill(out.loop.begin() + out.loop_count, out.loop.end(), Loop{});
  return out;
}

}  // namespace

std::vector<Priced> Pricing::price(std::span<const Mapping> mappings) {
  std::vector<Evaluation> found(mappings.size());
  parallel_for(mappings.size(), problem_.options.threads, [&](std::size_t k) { found[k] = evaluate(mappings[k]); });
  std::vector<Priced> out;
  for (std::size_t k = 0; k < mappings.size(); ++k) out.push_back(take(mappings[k], found[k]));
  return out;
}

Priced Pricing::count(const Evaluation& e) {
  ++answer_.statistics.evaluated;
  if (e.verdict != Verdict::Fits) return {};
  const Objective objective = problem_.options.objective;
  Priced out{.value = Value::of(objective, e.cost), .number = objective_number(objective, e.cost), .legal = true};
  out.better = !answer_.found || out.value < answer_.value;
  return out;
}

void Pricing::keep(const Mapping& mapping, const Cost& cost, const Priced& priced) {
  answer_.offer(problem_.options.objective, clean(mapping), cost);
  if (priced.better) problem_.tell(priced.number, 0, answer_.statistics.evaluated);
}

}  // namespace heliolite

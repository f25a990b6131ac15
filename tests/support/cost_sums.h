#pragma once
// Networks whose layers are sets of costs, all sums of one cost of each layer, and limits of such sums: what searches
// of a network's energy and cycles are compared with.
#include <cmath>
#include <vector>

#include "engine/model/cost_model.h"
#include "engine/search/network/layer_hull.h"
#include "tests/support/search_problem.h"

namespace heliolite::testing {

// Sums of one cost of each layer, times its runs.
inline std::vector<Cost> all_sums(const std::vector<std::vector<Cost>>& layers, const std::vector<u64>& runs) {
  std::vector<Cost> sums{{}};
  for (std::size_t l = 0; l < layers.size(); ++l) {
    std::vector<Cost> next;
    for (const Cost& sum : sums)
      for (const Cost& c : layers[l])
        next.push_back({sum.energy + c.energy * runs[l], sum.cycles + c.cycles * runs[l]});
    sums = std::move(next);
  }
  return sums;
}

// Up to 12 costs near a curve along which energy falls with cycles.
inline std::vector<Cost> random_costs(Rng& rng) {
  std::vector<Cost> out;
  for (std::size_t k = 0, n = 1 + rng() % 12; k < n; ++k) {
    const double cycles = 10.0 + static_cast<double>(rng() % 1000);
    const double noise = 1 + static_cast<double>(rng() % 100) / 200;
    out.push_back({Energy::from_picojoules(noise * 1e5 / std::sqrt(cycles)), static_cast<u64>(cycles)});
  }
  return out;
}

// Limits that some of the sums keep to, or nearly.
inline CostLimits random_limits(Rng& rng, const std::vector<Cost>& sums) {
  const auto share = [&] { return 0.6 + static_cast<double>(rng() % 100) / 100; };
  const Cost& some = sums[rng() % sums.size()];
  const double pj = some.energy.picojoules(), cycles = static_cast<double>(some.cycles);
  CostLimits out;
  if (rng() % 2 == 0) out.energy_pj = pj * share();
  if (rng() % 2 == 0) out.cycles = cycles * share();
  if (rng() % 2 == 0) out.pj_per_cycle = pj / cycles * share();
  return out;
}

// The least value of sums that keep to the limits; infinity: none does.
inline double least_sum(const std::vector<Cost>& sums, Objective objective, const CostLimits& limits) {
  double least = kNever;
  for (const Cost& c : sums)
    if (limits.meets(c.energy.picojoules(), static_cast<double>(c.cycles)))
      least = std::min(least, objective_number(objective, c));
  return least;
}

// Costs of all mappings; empty: there are none, or more than `limit`.
inline std::vector<Cost> all_costs(const Workload& workload, const Architecture& machine, u64 limit = 20'000) {
  std::vector<Cost> all;
  const CostModel model(workload, machine);
  const auto price = [&](const Mapping& mapping) {
    const Evaluation e = model.evaluate(mapping);
    if (e.verdict == heliolite::Verdict::Fits) all.push_back(e.cost);
    return e;
  };
  if (!enumerate_mapspace(workload, machine, {.limit = limit, .price = price})) all.clear();
  return all;
}

// Of these those that no other is nowhere above, from the fewest cycles on, each once.
inline std::vector<Cost> lowest(std::vector<Cost> costs) {
  std::ranges::sort(costs, {}, [](const Cost& c) { return std::pair(c.cycles, c.energy); });
  std::vector<Cost> out;
  for (const Cost& c : costs)
    if (out.empty() || c.energy < out.back().energy) out.push_back(c);
  return out;
}

}  // namespace heliolite::testing

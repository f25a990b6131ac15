#pragma once
// Problems for the tests of the exact search, which they ask without another strategy's mapping to start from: a good
// start hides wrong cuts.
#include <utility>

#include "engine/search/exact/exact.h"
#include "engine/space/mapspace.h"
#include "tests/support/search_problem.h"

namespace heliolite::testing {

// Objectives that order mappings differently on one machine; those of areas and operations order them as one of these.
inline constexpr std::array kObjectives{Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p};

// The rules of a search that lose nothing, in the order of the table; those of one page of docs/rules, if it is given.
inline std::vector<Rule> sound_rules(RuleUser user, std::string_view page = "") {
  std::vector<Rule> out;
  for (const RuleInfo& rule : kRuleTable)
    if (rule.user == user && rule.soundness == Soundness::Sound && (page.empty() || rule.page == page))
      out.push_back(rule.rule);
  return out;
}

// A problem on one thread; the machine's constraints must name what the workload has.
inline LayerProblem layer_problem(const Workload& workload, const Architecture& architecture, SearchOptions options) {
  options.threads = 1;
  return {workload, architecture, options, *resolve(workload, architecture), CostModel(workload, architecture)};
}

inline LayerProblem layer_problem(const SearchProblem& p, Objective objective) {
  SearchOptions options;
  options.objective = objective;
  return layer_problem(p.workload, p.architecture, options);
}

inline LayerAnswer exact_alone(const LayerProblem& problem) {
  return exact_search(problem, LayerAnswer{}, SearchBudget(problem.options));
}

namespace detail {

inline double price(Rng& rng, u64 most) { return static_cast<double>(pick(rng, 0, most)) / 4; }

// One kind of cost becomes the whole cost, or none.
inline void exaggerate(Rng& rng, StorageLevel& level, u64 kind) {
  const auto slow = [&](double words) { return static_cast<double>(pick(rng, 1, 16)) / 64 * words; };
  if (kind == 0 && chance(rng, 60)) level.leak_pj_per_cycle = price(rng, 400);
  if (kind == 0 || kind == 1) {
    if (chance(rng, 40)) level.bandwidth.read = slow(2);
    if (chance(rng, 40)) level.bandwidth.write = slow(1);
    if (chance(rng, 40)) level.bandwidth.shared = slow(2);
  }
  if (kind == 2)
    for (double* energy : {&level.energy.read_pj, &level.energy.fill_pj, &level.energy.update_pj})
      if (chance(rng, 60)) *energy = chance(rng, 50) ? 0 : 1000;
  if (kind == 3 && chance(rng, 70)) level.block_words = u64{1} << pick(rng, 0, 5);
  if ((kind == 1 || kind == 3) && level.instances % 2 == 0 && chance(rng, 70))
    level.cluster_size = level.instances % 4 == 0 && chance(rng, 50) ? 4 : 2;
  if (kind == 4)
    level.network = {chance(rng, 30) ? 0 : price(rng, 400), chance(rng, 30) ? price(rng, 400) : 0, price(rng, 100)};
}

}  // namespace detail

// A random_search_problem whose machine spends nearly everything on leakage, on slow memories, on some accesses, on
// blocks or clusters, or on its networks.
inline SearchProblem unusual_search_problem(u64 seed, const SearchProblemOptions& options = {}) {
  Rng rng(seed + 1'000'003);
  for (;;) {
    SearchProblem p = random_search_problem(rng(), options);
    const u64 kind = seed % 5;
    for (StorageLevel& level : p.architecture.levels) detail::exaggerate(rng, level, kind);
    if (chance(rng, 20)) p.architecture.compute.op_pj = 0;
    if (!check(p.architecture).empty()) continue;
    p.answer = *enumerate_mapspace(p.workload, p.architecture, {.limit = options.max_mappings});
    return p;
  }
}

}  // namespace heliolite::testing

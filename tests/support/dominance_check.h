#pragma once
// Whether the exact search may drop what its frontier drops: both partial mappings are completed alike, and priced by
// the cost model.
#include <vector>

#include "engine/search/exact/frontier.h"
#include "tests/support/machine_families.h"
#include "tests/support/random_steps.h"

namespace heliolite::testing {

struct DominanceSeen {
  int dropped = 0, completed = 0;
  int dearer = 0;  // completions of a state that was dropped which beat those of the state it was dropped for
};

// Completions of b, which the frontier drops for a, with a in its place: they must fit, and cost no more by the cost
// model. Energies compare up to the rounding of the sums.
inline void complete_both(const ExactToy& toy, RandomSteps& steps, int level, const Walk& a, const Walk& b,
                          DominanceSeen& seen) {
  ++seen.dropped;
  for (int k = 0; k < 10; ++k) {
    const std::vector<LevelStep> outside = steps.completion(b, level);
    if (outside.empty()) continue;
    Walk with_a = a, with_b = b;
    for (std::size_t i = 0; i < outside.size(); ++i)
      for (Walk* walk : {&with_a, &with_b}) add_level(toy, *walk, level + 1 + static_cast<int>(i), outside[i]);
    const Evaluation mine = toy.problem.machine(a.state.machine).evaluate(with_a.mapping);
    const Evaluation other = toy.problem.machine(b.state.machine).evaluate(with_b.mapping);
    const auto energy = [](const Evaluation& e) { return static_cast<double>(e.cost.energy.units); };
    ++seen.completed;
    seen.dearer += mine.verdict != Verdict::Fits || other.verdict != Verdict::Fits ||
                   energy(mine) > energy(other) * (1 + 1e-12) ||
                   (toy.model.timed && mine.cost.cycles > other.cost.cycles);
  }
}

// States over one tile of a level, pair by pair.
inline void compare_partial_mappings(const ExactToy& toy, RandomSteps& steps, Rng& rng, DominanceSeen& seen) {
  const int level = toy.top() - (chance(rng, 70) ? 1 : 2);
  const LatticePoint goal = steps.random_tile(level, LatticePoint(), toy.lattice.full());
  const KeepMasks outside = steps.random_keep();
  const bool forget = chance(rng, 50);
  std::vector<Walk> walks;
  for (int k = 0; k < 100 && walks.size() < 24; ++k) {
    auto walk = steps.walk(level, goal, outside);
    if (!walk) continue;
    if (forget) toy.steps.forget_idle(walk->state, level);
    walks.push_back(*walk);
  }
  const auto drops_other = [&](const Walk& a, const Walk& b) {
    Frontier frontier(toy.model, level);
    frontier.add(a.state, {}, true);
    return frontier.dominated(b.state);
  };
  // Where both drop each other nothing but the order of the loops differs.
  for (const Walk& a : walks)
    for (const Walk& b : walks)
      if (drops_other(a, b) && !drops_other(b, a)) complete_both(toy, steps, level, a, b, seen);
}

// A random problem whose mappings nobody has to count; every other machine spends nearly everything on one kind of
// cost.
inline LayerProblem random_layer_problem(Rng& rng) {
  for (;;) {
    SearchProblem p = detail::random_pair(rng, {.constraints = false});
    if (chance(rng, 50))
      for (const u64 kind = pick(rng, 0, 4); StorageLevel & level : p.architecture.levels)
        detail::exaggerate(rng, level, kind);
    if (p.architecture.levels.size() < 3 || !check(p.workload).empty() || !check(p.architecture).empty()) continue;
    SearchOptions options;
    options.objective = kObjectives[pick(rng, 0, 3)];
    if (chance(rng, 60)) return layer_problem(p.workload, p.architecture, options);
    const MachineFamily family = random_family_of(rng(), p.architecture, 4, chance(rng, 50));
    return family_problem(p.workload, family, options);
  }
}

// States of a few tiles of a random problem, with a random objective; of one keep choice or of all.
inline void compare_partial_mappings(u64 seed, DominanceSeen& seen) {
  Rng rng(seed);
  const LayerProblem problem = random_layer_problem(rng);
  const std::vector<KeepMasks> keeps = problem.keep_choices(64);
  if (keeps.empty()) return;
  const KeepMasks& one = keeps[pick(rng, 0, keeps.size() - 1)];
  const ExactToy toy(problem, chance(rng, 50) ? problem.keep_range() : KeepRange{one, one});
  RandomSteps steps(toy, seed);
  for (int tiles = 0; tiles < 4 && toy.model.exact; ++tiles) compare_partial_mappings(toy, steps, rng, seen);
}

}  // namespace heliolite::testing

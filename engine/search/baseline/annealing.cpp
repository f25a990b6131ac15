// Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983; as a mapper: SALSA, Jung et al., AICAS 2022).
// Steps:
//  1. Begin with the smallest tiles, everything else at the outermost level.
//  2. A change that is drawn: a prime factor moves to another place (SALSA: to another memory), two loops of a level
//     change places, what a level keeps changes. What does not fit is taken back.
//  3. Better: stay. Worse by a factor r: stay with probability r^(-1/T).
//  4. T falls by a fixed ratio with each change that was priced, from kHottest to kColdest in kAnnealingSteps; then the
//     next round begins at step 1, with other random numbers.
// Chosen here, for no paper has it: the temperatures, the number of steps, of rounds, and how often each change is
// drawn. Logarithms are compared: the objectives span many orders of magnitude.
#include "engine/search/baseline/strategies.h"

#include <cmath>
#include <optional>

#include "engine/search/baseline/genome.h"
#include "engine/search/core/pricing.h"

namespace heliolite {
namespace {

class Annealing {
 public:
  Annealing(const LayerProblem& problem, const SearchBudget& budget, u64 steps)
      : problem_(problem), space_(problem), pricing_(problem, budget), steps_(steps) {}

  LayerAnswer run() {
    if (space_.possible())
      for (int round = 0; round < kAnnealingRounds && !pricing_.over(); ++round) anneal(round);
    return pricing_.answer();
  }

 private:
  // The logarithm of the objective; none: the mapping does not fit, or nothing may be priced any more.
  std::optional<double> price(const Genome& genome) {
    Mapping mapping;
    if (!space_.write(genome, mapping) || pricing_.over()) return std::nullopt;
    const Priced priced = pricing_.price(mapping);
    return priced.legal ? std::optional(std::log(priced.number)) : std::nullopt;
  }

  void anneal(int round) {
    SplitMix random(problem_.options.seed, static_cast<u64>(round));
    Genome here = space_.smallest_tiles();
    std::optional<double> value = price(here);
    // Where mappings must use many units the smallest tiles are none, and no single change makes them one.
    const u64 starts = problem_.space.least_units > 1 ? kStarts : 0;
    for (u64 k = 0; k < starts && !value && !pricing_.over(); ++k) {
      for (const u8 d : space_.dimensions()) space_.draw_split(random, d, here);
      value = price(here);
    }
    const double cooling = std::pow(kColdest / kHottest, 1 / static_cast<double>(steps_));
    const u64 first = pricing_.evaluated();
    u64 idle = 0;  // changes in a row that there was none of
    for (double temperature = kHottest; pricing_.evaluated() - first < steps_ && !pricing_.over() && idle < kIdle;) {
      Genome next = here;
      if (!change(random, next)) {
        ++idle;
        continue;
      }
      const u64 before = pricing_.evaluated();
      const std::optional<double> there = price(next);
      idle = pricing_.evaluated() == before ? idle + 1 : 0;
      if (there && (!value || accepts(random, *there - *value, temperature))) {
        here = next;
        value = there;
      }
      if (pricing_.evaluated() != before) temperature *= cooling;
    }
  }

  bool change(SplitMix& random, Genome& genome) const {
    constexpr u64 kParts = 8, kFactors = 5, kOrders = 7;  // 5 of 8 move a factor, 2 swap loops, 1 changes a keep
    const u64 part = random.below(kParts);
    if (part < kFactors) return space_.move_factor(random, genome);
    return part < kOrders ? space_.swap_loops(random, genome) : space_.toggle_keep(random, genome);
  }

  static bool accepts(SplitMix& random, double worse, double temperature) {
    if (worse <= 0) return true;
    constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
    return static_cast<double>(random.next() >> 11) * kUnit < std::exp(-worse / temperature);
  }

  static constexpr u64 kIdle = 100'000;
  static constexpr u64 kStarts = 10'000;  // drawn at most

  const LayerProblem& problem_;
  GenomeSpace space_;
  Pricing pricing_;
  u64 steps_;
};

}  // namespace

LayerAnswer annealing_search(const LayerProblem& problem, const SearchBudget& budget, u64 steps) {
  return Annealing(problem, budget, steps).run();
}

}  // namespace heliolite

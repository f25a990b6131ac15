#pragma once
// Complete plans to begin with, before anything is priced: what a search has when its budget is a handful of mappings.
//  1. Unrollings that use the most units, those first of which the units share the most words.
//  2. All loops over time at the outermost level. Then each level, innermost first, takes prime after prime from the
//     levels outside it, always the one that saves the most energy of words on their way, until nothing fits or nothing
//     is saved: once as if the loops outside always kept in place what costs most to move, once for each tensor; and
//     once from the outside in, each level taking from the next one outside.
//  3. After each level the order of its loops that keeps in place what costs most to move.
// What the steps compare are words of tiles times the loops that move them, as if no tensor slid: a part of what a
// mapping's price counts, and no lower bound of it (docs/rules/search.md).
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "engine/search/climb/plan.h"
#include "engine/search/sunstone/fillings.h"
#include "engine/search/sunstone/ladder.h"

namespace heliolite {

// Plans of one layer by step 1 to 3.
class GreedyStarts {
 public:
  // Plans that the ladder can price; it must outlive this object.
  GreedyStarts(const Ladder& ladder, const RuleSet& rules, Fillings& fillings);

  // At most `most` legal plans with one of these keep choices, the most promising first; their tiles fit.
  std::vector<Plan> list(std::span<const KeepMasks> keeps, std::size_t most);

 private:
  // The words of a tensor on their way to the tile of a level that keeps it, or to the MACs.
  struct Flow {
    int tensor = 0;
    int to = -1, from = -1;  // levels; -1: the MACs
    double fills = 1;        // words, over all instances that take them
    double reads = 1;        // words that are read at `from`: instances share words
    bool in_place = true;    // no loop so far has moved the tile
  };
  // Energy units of one word at a level.
  struct WordEnergy {
    double read = 0, fill = 0, update = 0;
  };
  using Estimate = std::pair<double, double>;  // compared as the objective's values are
  struct Filled {
    Plan plan;
    Estimate estimate;
  };
  std::vector<Filled> fill_all(std::span<const KeepMasks> keeps, std::size_t each, const RuleSet& rules);
  std::vector<Filled> unrollings(std::size_t most, const RuleSet& rules);
  Estimate unrolled_estimate(const Plan& plan) const;
  bool begin(Plan& plan) const;
  bool fits(const Plan& plan, int first, int last) const;
  Estimate fill(Plan& plan, int stationary, bool inwards) const;
  void grow(Plan& plan, int level, int stationary, const std::vector<Flow>& inside, bool nearest) const;
  double words_energy(const Plan& plan, int level, int stationary, const std::vector<Flow>& inside) const;
  void choose_order(Plan& plan, int level, std::vector<Flow>& flows) const;
  double energy_of(const Flow& flow) const;
  Estimate estimate(double energy, double cycles) const;
  int server(int level, int tensor) const;

  const Ladder& ladder_;
  const Compiled& c_;
  const Mapspace& space_;
  const RuleSet rules_;
  const MoveSpace moves_;
  Fillings& fillings_;
  std::array<std::vector<u32>, kMaxDimensions> primes_;  // [dimension]
  KeepMasks keep_{};
  std::array<std::array<WordEnergy, kMaxTensors>, kMaxLevels> word_{};  // [level][tensor]
  bool free_words_ = true;  // no level's words cost energy: each counts alike
};

}  // namespace heliolite

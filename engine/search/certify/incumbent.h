#pragma once
// The incumbent: the best complete mapping of a search that proves its answer, and what bounds are compared with. The
// certificate: what the search has proven of it.
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>

#include "engine/search/core/layer_problem.h"
#include "engine/search/core/objective.h"

namespace heliolite {

// What partial mappings are worth: bounds of energy and cycles, and the order in which they are compared.

// In tables of bounds: no completion exists. Finite, so that sums and products of it are numbers.
inline constexpr double kImpossible = 1e300;

// Energy, in units of 2^-32 pJ, and cycles that no completion is below.
struct CostBound {
  double energy = 0;
  double cycles = 0;
};

// A cost or a bound as the objective orders it: energy units (2^-32 pJ), cycles, their product with cycles or their
// square, or a weighted sum. For Delay `second` is the energy, which decides between equal cycles; otherwise it is 0.
// Infinity: no mapping.
struct ObjectiveKey {
  double first = std::numeric_limits<double>::infinity();
  double second = std::numeric_limits<double>::infinity();

  friend bool operator<(const ObjectiveKey& a, const ObjectiveKey& b) {
    return std::tie(a.first, a.second) < std::tie(b.first, b.second);
  }
};

// The key of a cost; cycles are rounded up, at least to 1. Infinite if the energy is kImpossible.
ObjectiveKey objective_key(Objective objective, double energy_units, double cycles);
inline ObjectiveKey objective_key(Objective objective, const Cost& cost) {
  return objective_key(objective, static_cast<double>(cost.energy.units), static_cast<double>(cost.cycles));
}
// The key that no mapping of less than `number`, in units of objective_number(), reaches.
ObjectiveKey key_of_number(Objective objective, double number);
// The key in units of objective_number().
double key_number(Objective objective, const ObjectiveKey& key);

// What a search looks for, if not for the least of its objective alone.
struct SearchAim {
  bool cycles_only = false;  // the least cycles, at any energy (rule cycles-first)
  double least_cycles = 0;   // no mapping takes fewer
  // Every mapping below the limit that has at most this energy and these cycles, but for those that another one is
  // nowhere above (docs/rules/network.md, "Between the corners"). The limit stays what it is.
  std::optional<CostBound> list_within{};
};

// The best mapping of a search, and the tests that cut bounds against it.
class Incumbent {
 public:
  // Nothing that is not below `limit` counts as an improvement; infinity: everything does.
  Incumbent(Objective objective, const ObjectiveKey& limit, const SearchAim& aim = {})
      : objective_(objective), aim_(aim), best_(aimed(limit)) {}
  // One without a mapping that looks for the same below another limit.
  Incumbent below(const ObjectiveKey& limit) const { return {objective_, limit, aim_}; }

  // Takes the mapping if it beats the best so far, or is to be listed; returns whether it did.
  bool offer(const Mapping& mapping, const Cost& cost, u32 machine);
  // Takes the best mapping of `other` if it has one that beats the best so far, and what it has listed.
  void offer(const Incumbent& other);

  ObjectiveKey key_of(const CostBound& bound) const {
    if (aim_.list_within && !may_be_within(bound)) return {};
    return aimed(objective_key(objective_, bound.energy, std::max(bound.cycles, aim_.least_cycles)));
  }
  // Whether no mapping that costs `bound` or more can beat the incumbent by more than one part in 10^12.
  bool cuts(const ObjectiveKey& bound) const;
  bool cuts(const CostBound& bound) const { return cuts(key_of(bound)); }
  // Whether no mapping that costs at least this much can beat the incumbent: a bound in integers, without rounding. For
  // delay equal cycles are enough, whatever the energy.
  bool cuts(const Cost& least) const {
    if (!found()) return false;
    if (info(objective_).energy_power == 0) return least.cycles >= answer_.cost.cycles;
    return !(Value::of(objective_, least) < answer_.value);
  }
  // The most cycles with which a mapping of at least this much energy can beat the incumbent.
  u64 most_cycles(Energy least) const;

  // Energy units from which on no mapping that takes at least `cycles` can beat the incumbent.
  double energy_limit(double cycles) const;

  const SearchAim& aim() const { return aim_; }
  bool found() const { return answer_.found; }
  const std::vector<PricedMapping>& listed() const { return listed_; }
  const LayerAnswer& answer() const { return answer_; }
  // The key of the best mapping; the limit while there is none below it.
  const ObjectiveKey& best() const { return best_; }

 private:
  bool may_be_within(const CostBound& bound) const;
  bool list(const Mapping& mapping, const Cost& cost);

  ObjectiveKey aimed(ObjectiveKey key) const {
    if (aim_.cycles_only) key.second = std::min(key.second, 0.0);
    return key;
  }

  Objective objective_;
  SearchAim aim_;
  LayerAnswer answer_;
  ObjectiveKey best_;
  std::vector<PricedMapping> listed_;  // cycles rise, energy falls
};

// Called with a bound that no mapping still to be found is below.
using BoundObserver = std::function<void(const ObjectiveKey&)>;

// What a search has proven.
struct Certificate {
  bool complete = false;                // nothing beats the incumbent; without one, nothing is legal
  SearchEnd end = SearchEnd::Done;      // why it is not complete
  std::optional<double> lower_bound{};  // no mapping is below, in units of objective_number()

  // The answer of the search that has done this work.
  LayerAnswer answer(const Incumbent& incumbent, const SearchStatistics& statistics) const;
};

}  // namespace heliolite

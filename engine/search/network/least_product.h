#pragma once
// The least value of an objective energy x cycles^b of a network's sums, over all choices of one mapping for each
// layer, with its proof (docs/rules/network.md).
//
// The least of such a product over a convex set is at a corner of the set, and a corner of the set of all sums is the
// sum of one corner of each layer's. So what is known of each layer is kept as two convex chains (layer_hull.h): one of
// known mappings, whose sums are answers, and one of lines that no mapping is below, whose sums are bounds. As long as
// some corner of the bounds is below the best answer, layers whose chains are apart there are searched for the least
// energy + lambda x cycles.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/model/mapping.h"
#include "engine/search/core/objective.h"
#include "engine/search/core/rules.h"
#include "engine/search/network/layer_hull.h"

namespace heliolite {

struct KnownMapping {
  Mapping mapping;
  Cost cost;
  std::size_t unit = 0;  // the compute unit that it is for: a number of Architecture::chain()
};

// What a search of one layer for the least energy + lambda x cycles found.
struct SumAnswer {
  std::optional<KnownMapping> found;  // if there is a better one than was known
  bool complete = false;              // nothing is below the better of what is found and what was known
  double lower_bound_pj = 0;          // nothing is below; 0: nothing is known
  std::optional<double> lambda{};     // that this is of, if it is not the one that was asked for
};

// What every mapping of a layer costs at least that may run on any of several compute units, of what it costs at
// least on each.
Cost least_of_units(std::span<const Cost> units);
// The best of what searches of a layer on several compute units found, and what none of them has anything below.
SumAnswer least_of_units(std::span<const SumAnswer> units, double lambda);

struct NetworkLayer {
  LayerHull hull;
  std::vector<KnownMapping> known;  // by the hull's numbers; at least one
  double least_value = 0;           // in pJ x cycles^b: no mapping of the layer has less; 0: nothing is known
  double work = 1;                  // how much one of its searches takes, in any unit; above 0
  int incomplete = 0;               // searches that were not completed
  bool exhausted = false;           // it is not searched any more
  bool goes_on = false;             // its searches go on where they ended: it is searched as long as there is time
};

// Told what is known of the network from time to time, both in pJ x cycles^b.
using NetworkProgress = std::function<void(double value, double lower_bound)>;

// Called for different layers by several threads at a time. `known`: the best known mapping for this lambda (units of
// energy, 2^-32 pJ, a cycle).
using SearchForSum = std::function<SumAnswer(std::size_t layer, double lambda, const KnownMapping& known)>;

struct ProductQuestion {
  Objective objective;                   // a product of energy and a power of cycles
  RuleSet rules{};                       // own-value, chains-meet, lift-enough
  int threads = 1;                       // 0: every core
  std::function<bool()> stop = nullptr;  // asked between searches; null: never
  NetworkProgress report = nullptr;      // null: nobody hears of it
};

struct LeastProduct {
  std::vector<std::size_t> chosen;  // [layer]: number of its mapping
  double value = 0;                 // of the sums, in pJ x cycles^b
  double lower_bound = 0;           // no choice of mappings is below; at most `value`
  double lambda = 0;     // pJ a cycle: the answer has the least energy + lambda x cycles of all that is known
  bool optimal = false;  // no choice is below by more than one part in 10^12
  u64 searches = 0;      // of layers
  RuleCounts rules{};
};

LeastProduct find_least_product(std::vector<NetworkLayer>& layers, const SearchForSum& search,
                                const ProductQuestion& question);

}  // namespace heliolite

#pragma once
// What a search is asked for, and the threads, time and memory it may use. option_table.h has the ranges.
#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/types.h"
#include "engine/model/mapping.h"
#include "engine/search/core/objective.h"
#include "engine/search/core/rules.h"
#include "engine/search/core/strategy.h"

namespace heliolite {

// The tile sizes that a mapspace allows.

enum class Factors : u8 {
  Perfect,  // factors that divide the sizes: Timeloop's mapspace
  Any,      // all tile sizes, priced in true counts
};

constexpr ValueNames<2> value_names(Factors) { return {"perfect", "any"}; }

enum class Tiles : u8 {
  Even,    // one tile for each level, as in Timeloop
  Uneven,  // each tensor of a level has its own place in the nest, and all share the level's room
};

constexpr ValueNames<2> value_names(Tiles) { return {"even", "uneven"}; }

// What a search reports while it runs.

// One report; fields without news are 0.
struct SearchProgress {
  std::string_view layer{};  // name of the layer that the report is about
  double value = 0;          // objective_number() of its best mapping so far; 0: none yet
  double lower_bound = 0;    // no mapping of the layer is below, in the same unit; 0: none known yet
  u64 evaluated = 0;         // mappings priced when that was known; 0: not told
  bool layer_done = false;   // its search has ended
  u64 layers_done = 0;       // layers of the network that are done; of equal layers each counts
  u64 layers = 0;            // layers of the network
};

// Called from the threads of the search, by one at a time; it must return soon.
using ProgressHook = std::function<void(const SearchProgress&)>;

// The question that a search answers about a workload on a machine.
struct SearchOptions {
  Objective objective = Objective::Edp;
  Strategy strategy = Strategy::Exact;
  RuleSet rules;
  int threads = 0;                          // 0 = every core
  bool free = false;                        // lift the machine's dataflow constraints (keep rules stay)
  bool open = false;                        // lift its keep rules: every level may hold what it likes
  Tiles tiles = Tiles::Even;                // uneven: strategy exact, perfect factors
  Factors factors = Factors::Perfect;       // which tile sizes; any: in true counts
  bool network = false;                     // the objective is of the network's sums: NetworkResult::optimum
  bool probe_other_tiles = false;           // with perfect factors: fill MappingResult::other_tiles
  std::optional<double> budget_seconds;     // wall time for a layer, or for a fused network; none: no limit
  std::optional<u64> budget_evaluations;    // mappings priced for a layer, or a fused network; none: no limit
  u64 memory_bytes = u64{2} << 30;          // what the exact search of one layer may hold at a time
  u64 seed = 1;                             // of what is drawn at random
  std::optional<Mapping> witness;           // exact, one layer: a mapping to follow, see MappingResult::witness
  const std::atomic<bool>* stop = nullptr;  // when somebody sets it, the search returns the best so far; null: nobody
  ProgressHook progress;                    // called when a part of a layer, or a layer, is done; may be empty

  // What only some strategies are asked (strategy.h).
  SamplingOptions sampling;
  LeastUseOptions directed;
  BayesOptions bayes;
  CosaOptions cosa;
  EvaluatorOptions evaluator;  // of strategies that only need values (StrategyInfo::values)
};

inline AskedObjective asked_objective(const SearchOptions& options) { return {options.objective, options.network}; }

// In front of the command whose values are minimised.
inline constexpr std::string_view kValueFrom = "value from ";
// What is minimised, as people read it: "edp", or "value from ./simulate".
inline std::string minimised(const SearchOptions& options) {
  return options.evaluator.command.empty() ? std::string(name(options.objective))
                                           : std::string(kValueFrom) + options.evaluator.command;
}

}  // namespace heliolite

#pragma once
// The ablation: what each rule of Sunstone's search is worth (Ng, UBC 2022, fig. 6.11): the points looked at with the
// rules added one by one. Not the strategy `sunstone`, which has a beam and climbs: the plain level-by-level search of
// the thesis.
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/named.h"
#include "engine/search/study/bench_suite.h"

namespace heliolite {

// Each step has the rules of those before it.
enum class AblationStep : u8 {
  None,       // all splits, all loop orders: a count
  Orders,     // O1-O3: all splits, the loop orders that can matter: a count
  AlphaBeta,  // A1: partial mappings best first, until the incumbent cannot be beaten
  Spatial,    // S1: only unrollings that use the fan-out
  Tiles,      // T1: only maximal tiles
};
inline constexpr std::size_t kAblationSteps = 5;
inline constexpr std::size_t kAblationSearches = kAblationSteps + 1;  // of one layer: the optimum too

constexpr ValueNames<5> value_names(AblationStep) { return {"none", "+orders", "+alpha-beta", "+spatial", "+T1"}; }

// One step on one layer.
struct AblationRow {
  AblationStep step = AblationStep::None;
  double points = 0;            // mappings counted, or evaluated (partial mappings included)
  std::string points_exact;     // `points` with all digits
  bool counted = false;         // in closed form: nothing was evaluated
  bool at_most = false;         // counted without the joint limit of the fan-outs, which are too many for it
  bool finished = true;         // false: the budget ended it, points is a lower bound and value the best so far
  std::optional<double> value;  // objective_number() of the best mapping; none: counted, or none found
  double seconds = 0;           // wall time
};

// What the strategy `exact` makes of the layer: what the steps' values are held against.
struct AblationOptimum {
  double value = 0;        // the best that `exact` or any step found; 0: nobody found a mapping
  double lower_bound = 0;  // no mapping is below
  bool proven = false;     // `value` is the optimum; otherwise the budget ended the search
  u64 evaluated = 0;       // mappings that `exact` priced
  double seconds = 0;      // wall time of `exact`
};

// One layer on one machine.
struct AblationLayer {
  std::string machine, layer;
  std::vector<AblationRow> rows;  // one for each step
  AblationOptimum optimum;
};

// The step's value over the optimum; where that is not proven, over the best value known, so that the true ratio may be
// higher. None: the step has no value.
std::optional<double> ratio(const AblationLayer& layer, const AblationRow& row);

// What an ablation is run on.
struct AblationSuite {
  std::string name;
  Objective objective = Objective::Edp;
  std::vector<BenchMachine> machines;
  std::vector<BenchLayer> layers;
  double budget_seconds = 60;  // time for one step on one layer, and for the search for its optimum
};

struct AblationResult {
  std::vector<AblationLayer> layers;
  bool interrupted = false;
};

// Errors, before any search: constraints that a layer cannot obey. `stop`: the layer it cuts short is left out.
Result<AblationResult> run_ablation(const AblationSuite& suite, const std::atomic<bool>* stop = nullptr,
                                    const BenchProgress& progress = {});

}  // namespace heliolite

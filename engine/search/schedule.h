#pragma once
// The schedule of a search of one layer: a list of steps, each with its name, its share of what the steps before it
// have left of the budget, and the search that it runs from the best mapping so far. The answer says which were run, on
// how many mappings and for how long. The lists stand in schedules.cpp; what all tile sizes and words from peers add to
// them is in factor_schedules.cpp and link_schedules.cpp.
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "engine/search/certify/incumbent.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/layer_search.h"

namespace heliolite {

// Which part of what is left, or how many evaluations, a step may use at most.
struct Share {
  double time = 1;         // share of the seconds
  double evaluations = 1;  // share of the evaluations, rounded up
  u64 at_most = ~u64{0};   // evaluations

  SearchBudget of(const SearchBudget& left) const;
};

// All shares, one row a step: who changes one sees what the others get.
namespace share {

inline constexpr Share kAll{};
inline constexpr Share kHalf{0.5, 0.5};  // the first of two steps that are worth as much

// Shares of the time and evaluations that are left.
inline constexpr Share kOwnBeforeNetwork{0.5, 0.5};  // a layer's own objective, before the network's
inline constexpr Share kOneLambda{0.5, 0.5};         // each search of a layer for the network's

// Shares of the time that is left.
inline constexpr Share kFastBeforeExact{0.5};     // sunstone, whose answer exact begins with; under a limit of
                                                  // evaluations it may use all of those
inline constexpr Share kFastByWholeModel{0.25};   // sunstone with and without links, before the stages of exact
inline constexpr Share kClimbsByWholeModel{0.5};  // climbs by what mappings cost with links, of sunstone's time
inline constexpr Share kExactWithoutPeers{0.5};   // exact without links, before exact with them
inline constexpr Share kExactByWholeModel{0.8};   // exact with links, before annealing
inline constexpr Share kPerfectBeforeAny{0.1};    // factors that divide, before all tile sizes, of half of the time
inline constexpr Share kProbeOfOtherTiles{0.25};  // a short search of all tile sizes after an answer that divides

// Shares of time and evaluations.
inline constexpr double kRegistersTogether = 0.4;     // all kinds of words from peers at once, before each by itself
inline constexpr Share kPaddedBeforeAny{0.08, 0.08};  // sizes that divide better, before all tile sizes

// Evaluations.
inline constexpr Share kFromNothing{1, 1, 200'000};  // exact, where sunstone found nothing that fits
inline constexpr u64 kLeastProbe = 500;              // a short search of all tile sizes: as many as the answer took,
inline constexpr u64 kMostProbe = 2'000;             // between these
inline constexpr u64 kMostOneByOne = 400'000;        // mapspaces that are looked at one by one, without a budget
inline constexpr u64 kLeastByWholeModel = 400'000;   // by the whole model without a budget: at least these, and
inline constexpr u64 kTimesByWholeModel = 4;         // this many times what the search without it took

// Stages under a limit of evaluations. What a stage does is settled by its own number, not by that of the budget: a
// smaller budget does the beginning of what a larger one does, and more evaluations never give a dearer answer.
struct Stages {
  u64 first;   // evaluations of the first stage
  u64 growth;  // how many times more each next one has
};
inline constexpr Stages kFactorStages{64, 4};         // factors that need not divide
inline constexpr Stages kWholeModelStages{1'000, 4};  // exact by the whole model
inline constexpr u64 kFactorStageStart = 8;  // this part of a stage of factors finds the mapping it starts from

}  // namespace share

// What a step begins with.
struct StepStart {
  const LayerSearch& layer;
  const LayerAnswer& so_far;  // answer of the steps before it, with their statistics
  SearchBudget budget;        // the step's share
  ObjectiveKey limit{};       // mappings that are not below it are not looked for
};

struct Step {
  std::string_view name;  // in the answer's statistics; empty: a schedule of its own, whose steps are named
  Share share;
  // The answer with what the step has found; its statistics include those of the answer so far.
  LayerAnswer (*run)(const StepStart& start);
  // Whether the step is run; null: always.
  bool (*wanted)(const StepStart& start) = nullptr;
};
using Schedule = std::span<const Step>;

// Runs the steps one after the other on what each leaves of `start.budget`, and tells the layer's progress hook what is
// found in between.
LayerAnswer run_schedule(Schedule steps, const StepStart& start);

// Runs a search and notes it as a step in the answer's statistics. `before`: what of the statistics that it returns was
// done by the steps before it.
template <class Run>
LayerAnswer run_step(std::string_view name, const SearchStatistics& before, Run run) {
  const Stopwatch clock;
  LayerAnswer out = run();
  out.statistics.add_step({name, out.statistics.evaluated - before.evaluated, clock.seconds()});
  return out;
}
template <class Run>
LayerAnswer run_step(std::string_view name, Run run) {
  return run_step(name, {}, std::move(run));
}

// The options' strategy with perfect factors, from nothing. Where words from peers change what mappings cost: only
// strategy `exact`, the others leave them out.
LayerAnswer run_strategy(const LayerSearch& layer, const SearchBudget& budget);

// Without words from peers:

// Strategy `sunstone`.
LayerAnswer run_sunstone(const LayerSearch& layer, const SearchBudget& budget);
// Strategy `exact` with one tile for each level. `start`: an answer of sunstone to begin with in place of its
// own, whose statistics the answer's do not include; null: none is known.
LayerAnswer run_exact(const LayerSearch& layer, const SearchBudget& budget, const LayerAnswer* start = nullptr);

// Strategy `exact` from nothing with the machine's keep rules as the options have them; only mappings below `limit` are
// looked for.
LayerAnswer run_exact_limited(const LayerSearch& layer, const SearchBudget& budget, const ObjectiveKey& limit);
// run_exact_limited() with no fast search before it: where only a bound is asked for, a mapping is of no use.
LayerAnswer run_exact_alone(const LayerSearch& layer, const SearchBudget& budget, const ObjectiveKey& limit);

// Any strategy, for the least energy + lambda x cycles, from a mapping of the mapspace; the answer is not worse.
// Strategy exact begins with nothing else. `sum`: own.for_sum(lambda).
LayerAnswer run_from(const LayerSearch& own, const LayerSearch& sum, double lambda, const Mapping& known,
                     const SearchBudget& budget);

// The problem with the machine's keep rules where the options lift them, else null.
std::unique_ptr<LayerProblem> with_keep_rules(const LayerProblem& problem);

// Where link transfers change what mappings cost (docs/link_transfers.md). The answer is that without links, with the
// best mapping with links in LayerAnswer::by_whole_model.

// Strategy `exact` with one tile for each level.
LayerAnswer run_exact_by_whole_model(const LayerSearch& layer, const SearchBudget& budget);
// All other strategies.
LayerAnswer run_other_by_whole_model(const LayerSearch& layer, const SearchBudget& budget);
// Gives `out` the best by the whole model of what is known: answers by it that `known` and `out` have, and mappings
// without. `own`: those of `out` count, too.
void take_by_whole_model(const LayerProblem& problem, const LayerAnswer& known, bool own, LayerAnswer& out);
// What a conclusion without links becomes with them.
void conclude_by_whole_model(const LayerProblem& problem, const LayerAnswer& best, MappingResult& out);

// Sizes other than those of the layer.

// Strategy `cosa` for sizes that have tiles (docs/cosa.md); where its answer is none of the true sizes, for those.
LayerAnswer run_padded_cosa(const LayerSearch& layer, const SearchBudget& budget);
// All tile sizes from `perfect`, with the machine's keep rules as the options have them.
LayerAnswer run_other_factors(const LayerSearch& layer, const LayerAnswer& perfect, const SearchBudget& budget);

}  // namespace heliolite

// The lists of steps by which each strategy searches one layer with perfect factors.
#include <algorithm>
#include <cmath>

#include "engine/search/baseline/strategies.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/cosa/cosa_search.h"
#include "engine/search/exact/exact.h"
#include "engine/search/schedule.h"
#include "engine/search/sunstone/strategies.h"
#include "engine/search/uneven/uneven.h"

namespace heliolite {
namespace {

const LayerProblem& problem_of(const StepStart& start) { return start.layer.problem(); }
const SearchOptions& options_of(const StepStart& start) { return problem_of(start).options; }

bool found(const StepStart& start) { return start.so_far.found; }
bool nothing_found(const StepStart& start) { return !start.so_far.found; }

// Where narrow passes follow and are quick, they find what more climbs would find.
ClimbEffort fast_effort(const LayerProblem& problem) {
  return narrow_search_is_quick(problem) ? kBeforePasses : kClimbsAlone;
}
ClimbEffort full_effort(const LayerProblem&) { return kClimbsAlone; }

template <auto effort>
LayerAnswer sunstone(const StepStart& start) {
  return sunstone_search(start.layer.levels(), start.budget, effort(problem_of(start)));
}

// Energy alone hardly tells unrollings apart, and the search may climb where few units share words. Where much is left
// to gain, what is found for EDP, which asks for many units, is an answer, too.
bool much_to_gain(const StepStart& start) {
  constexpr double kMuch = 1.2;  // above what every mapping costs
  const Objective objective = options_of(start).objective;
  return info(objective).cycles_power == 0 && start.so_far.found &&
         objective_number(objective, start.so_far.cost) > kMuch * start.layer.first_bound() &&
         start.budget.end(0) == SearchEnd::Done;
}

template <auto effort>
LayerAnswer sunstone_for_edp(const StepStart& start) {
  LayerProblem other = problem_of(start);
  other.options.objective = Objective::Edp;
  other.options.progress = {};
  const LayerAnswer answer = sunstone_search(LevelProblem(other), start.budget, effort(problem_of(start)));
  LayerAnswer out = start.so_far;
  out.statistics += answer.statistics;
  if (answer.found) out.offer(options_of(start).objective, answer.mapping, answer.cost, answer.machine);
  return out;
}

LayerAnswer narrow(const StepStart& start) { return narrow_search(problem_of(start), start.so_far, start.budget); }

LayerAnswer exact(const StepStart& start) {
  return exact_search(problem_of(start), start.so_far, start.budget, start.limit);
}

// Where no start fits: a search of all levels at once, which knows what the levels outside ask of each tile, soon finds
// what does, or that there is nothing.
LayerAnswer exact_from_nothing(const StepStart& start) {
  LayerAnswer out = exact(start);
  out.end = SearchEnd::Done;  // what a budget of the user's has to do with it, LayerSearch::search() says
  return out;
}

constexpr Step kSunstoneAlone[] = {{"sunstone", share::kAll, sunstone<full_effort>},
                                   {"sunstone for EDP", share::kAll, sunstone_for_edp<full_effort>, much_to_gain}};

constexpr Step kSunstone[] = {{"sunstone", share::kAll, sunstone<fast_effort>},
                              {"sunstone for EDP", share::kAll, sunstone_for_edp<fast_effort>, much_to_gain},
                              {"narrow", share::kAll, narrow, found},
                              {"exact", share::kFromNothing, exact_from_nothing, nothing_found}};

// With words from peers sunstone only climbs.
constexpr Step kSunstoneByWholeModel[] = {{"sunstone", share::kAll, sunstone<full_effort>}};

// Under a limit of evaluations sunstone gets all that it asks for, and what it does with a part of them is what it does
// first with more: the answer of exact is never dearer than its own, nor than with fewer. Without such a limit exact
// begins with narrow passes of its own.
LayerAnswer sunstone_before_exact(const StepStart& start) {
  return run_schedule(start.budget.limits_evaluations() ? Schedule(kSunstone) : Schedule(kSunstoneAlone), start);
}

constexpr Step kExact[] = {{"", share::kFastBeforeExact, sunstone_before_exact}, {"exact", share::kAll, exact}};

constexpr Step kExactAlone[] = {{"exact", share::kAll, exact}};

// Runs the steps on the smaller problem that stands for the layer's, where there is one, from nothing.
LayerAnswer run_reduced(Schedule steps, const LayerSearch& layer, const SearchBudget& budget,
                        const ObjectiveKey& limit = {}) {
  return layer.on_reduced([&](const LayerSearch& smaller) {
    return run_schedule(steps, {smaller, {}, budget, limit});
  });
}

// For what is below `limit`, from nothing or from what sunstone has found.
LayerAnswer run_exact_below(const LayerSearch& layer, const SearchBudget& budget, const LayerAnswer* start,
                            const ObjectiveKey& limit) {
  if (start == nullptr) return run_reduced(kExact, layer, budget, limit);
  const LayerProblem& problem = layer.problem();
  const Objective objective = problem.options.objective;
  const ObjectiveKey below = std::min(limit, objective_key(objective, start->cost));
  LayerAnswer out = run_step("exact", [&] { return exact_search(problem, {}, budget, below); });
  out.offer(objective, start->mapping, start->cost);
  return out;
}

LayerAnswer even_tiles(const StepStart& start) {
  return problem_of(start).whole_model ? run_exact_by_whole_model(start.layer, start.budget)
                                       : run_exact(start.layer, start.budget);
}

LayerAnswer uneven_tiles(const StepStart& start) {
  LayerAnswer out = uneven_search(problem_of(start), start.so_far, start.budget);
  const bool whole = out.complete || !start.budget.limits_evaluations();
  if (problem_of(start).whole_model) take_by_whole_model(problem_of(start), start.so_far, whole, out);
  return out;
}

constexpr Step kUnevenTiles[] = {{"", share::kHalf, even_tiles}, {"uneven", share::kAll, uneven_tiles}};

bool asks_for_warm_start(const StepStart& start) { return options_of(start).cosa.warm_start; }

LayerAnswer sunstone_before_cosa(const StepStart& start) {
  return run_reduced(kSunstoneAlone, start.layer, start.budget);
}

LayerAnswer cosa(const StepStart& start) {
  const LayerAnswer& known = start.so_far;
  LayerAnswer out =
      cosa_search(problem_of(start), known.found ? std::optional(known.mapping) : std::nullopt, start.budget);
  out.statistics.follow(known.statistics);
  return out;
}

constexpr Step kCosa[] = {{"", share::kHalf, sunstone_before_cosa, asks_for_warm_start}, {"cosa", share::kAll, cosa}};

// The strategies that are one search from beginning to end.
LayerAnswer one_search(const StepStart& start) {
  const LayerProblem& problem = problem_of(start);
  const LevelProblem& levels = start.layer.levels();
  const SearchBudget& budget = start.budget;
  switch (problem.options.strategy) {
    case Strategy::Thesis: return thesis_search(levels, budget);
    case Strategy::Random: return random_search(problem, budget);
    case Strategy::Bayes: return bayes_search(problem, levels.orders(), greedy_mappings(levels, 1), budget);
    case Strategy::Exhaustive: return exhaustive_search(problem, budget);
    case Strategy::RandomPruned: return random_pruned_search(problem, budget);
    case Strategy::Hybrid: return hybrid_search(problem, budget);
    case Strategy::Annealing: return annealing_search(problem, budget, annealing_steps(budget));
    case Strategy::Genetic: return genetic_search(problem, budget);
    case Strategy::DMazeRunner: return dmazerunner_search(problem, budget);
    case Strategy::Interstellar: return interstellar_search(problem, budget);
    case Strategy::Gradient: return gradient_search(problem, budget);
    case Strategy::Exact:
    case Strategy::Sunstone:
    case Strategy::Cosa: break;  // several steps
  }
  return {};
}

}  // namespace

SearchBudget Share::of(const SearchBudget& left) const {
  SearchBudget out = time < 1 ? left.part_of_time(time) : left;
  if (evaluations < 1 && left.limits_evaluations()) {
    const auto all = static_cast<double>(left.evaluations_left(0));
    out = out.at_most(static_cast<u64>(std::ceil(evaluations * all)));
  }
  return out.at_most(at_most);
}

LayerAnswer run_schedule(Schedule steps, const StepStart& start) {
  LayerAnswer out = start.so_far;
  for (const Step& step : steps) {
    const u64 used = out.statistics.evaluated - start.so_far.statistics.evaluated;
    const StepStart next{start.layer, out, step.share.of(start.budget.after(used)), start.limit};
    if (step.wanted != nullptr && !step.wanted(next)) continue;
    const auto run = [&] { return step.run(next); };
    LayerAnswer answer = step.name.empty() ? run() : run_step(step.name, out.statistics, run);
    out = std::move(answer);
    if (out.found && &step != &steps.back())
      problem_of(start).report_progress(out.number(options_of(start).objective), 0, out.statistics.evaluated);
  }
  return out;
}

LayerAnswer run_sunstone(const LayerSearch& layer, const SearchBudget& budget) {
  if (layer.problem().model.compiled().peers != 0) return run_schedule(kSunstoneByWholeModel, {layer, {}, budget});
  return run_reduced(kSunstone, layer, budget);
}

std::unique_ptr<LayerProblem> with_keep_rules(const LayerProblem& problem) {
  if (!problem.options.open) return nullptr;
  auto closed = std::make_unique<LayerProblem>(problem);
  closed->options.open = false;
  closed->options.progress = {};
  closed->options.witness.reset();
  auto space = resolve(closed->workload, closed->architecture, mapspace_options(closed->options));
  if (!space) return nullptr;
  closed->space = *std::move(space);
  return closed;
}

// Where the keep rules of the machine are lifted, they still leave a part of the mapspace, in which the same time goes
// a longer way: the answer is never worse than the best found there.
LayerAnswer run_exact(const LayerSearch& layer, const SearchBudget& budget, const LayerAnswer* start) {
  const Objective objective = layer.problem().options.objective;
  auto closed = with_keep_rules(layer.problem());
  if (!closed) return run_exact_below(layer, budget, start, {});
  LayerAnswer known = run_exact_below(LayerSearch(std::move(closed)), budget.half(), nullptr, {});
  const SearchBudget left = budget.after(known.statistics.evaluated);
  if (start != nullptr) known.offer(objective, start->mapping, start->cost);
  LayerAnswer out =
      run_exact_below(layer, left, start, known.found ? objective_key(objective, known.cost) : ObjectiveKey());
  out.statistics.follow(known.statistics);
  if (known.found) out.offer(objective, known.mapping, known.cost);
  out.alternatives = known.mappings();
  return out;
}

LayerAnswer run_exact_limited(const LayerSearch& layer, const SearchBudget& budget, const ObjectiveKey& limit) {
  return run_reduced(kExact, layer, budget, limit);
}

LayerAnswer run_exact_alone(const LayerSearch& layer, const SearchBudget& budget, const ObjectiveKey& limit) {
  return run_reduced(kExactAlone, layer, budget, limit);
}

LayerAnswer run_from(const LayerSearch& own, const LayerSearch& sum, double lambda, const Mapping& known,
                     const SearchBudget& budget) {
  const LayerProblem& problem = sum.problem();
  const SearchOptions& options = problem.options;
  const bool exact_alone = options.strategy == Strategy::Exact && options.tiles == Tiles::Even &&
                           !problem.has_all_tiles() && !problem.whole_model;
  const Cost cost = problem.model.evaluate(known, problem.counts()).cost;
  LayerAnswer out;
  if (exact_alone) {
    const ObjectiveKey below = objective_key(options.objective, cost);
    out = own.on_reduced([&](const LayerSearch& smaller) {
      if (&smaller == &own) return run_schedule(kExactAlone, {sum, {}, budget, below});
      const LayerSearch of_smaller = smaller.for_sum(lambda);
      return run_schedule(kExactAlone, {of_smaller, {}, budget, below});
    });
  } else {
    out = sum.search(sum.first_step(budget));
    if (sum.has_second_step()) out = sum.second_step(out, budget.after(out.statistics.evaluated));
    out.alternatives.push_back(known);
  }
  out.offer(options.objective, known, cost);
  return out;
}

LayerAnswer run_strategy(const LayerSearch& layer, const SearchBudget& budget) {
  const SearchOptions& options = layer.problem().options;
  const LayerAnswer nothing;
  const StepStart start{layer, nothing, budget};
  const Step alone[] = {{name(options.strategy), share::kAll, one_search}};
  switch (options.strategy) {
    case Strategy::Exact: return options.tiles == Tiles::Even ? even_tiles(start) : run_schedule(kUnevenTiles, start);
    case Strategy::Sunstone: return run_sunstone(layer, budget);
    case Strategy::Cosa: return options.cosa.pad ? run_padded_cosa(layer, budget) : run_schedule(kCosa, start);
    default: return run_schedule(alone, start);
  }
}

}  // namespace heliolite

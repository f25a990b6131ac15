#include "engine/search/layer_search.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "engine/base/integers.h"
#include "engine/model/countable.h"
#include "engine/search/baseline/annealing.h"
#include "engine/search/baseline/directed_searches.h"
#include "engine/search/baseline/exhaustive.h"
#include "engine/search/baseline/genetic.h"
#include "engine/search/baseline/gradient.h"
#include "engine/search/baseline/timeloop_mapper.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/core/steps.h"
#include "engine/search/exact/exact.h"
#include "engine/search/exact/range_passes.h"
#include "engine/search/exact/reduced_problem.h"
#include "engine/search/imperfect/imperfect_bound.h"
#include "engine/search/uneven/uneven.h"
#include "engine/search/validate_question.h"

namespace heliolite {
// Made when a search first asks for it: conclusions alone need none.
struct LayerSearch::Reduced {
  std::once_flag made;
  std::optional<ReducedProblem> problem;
  std::unique_ptr<const LayerSearch> search;  // null: there is no smaller problem
};

LayerSearch::LayerSearch(std::unique_ptr<LayerProblem> problem)
    : problem_(std::move(problem)), levels_(*problem_), reduced_(std::make_shared<Reduced>()) {}

LayerAnswer LayerSearch::on_reduced(const std::function<LayerAnswer(const LayerSearch&)>& search) const {
  std::call_once(reduced_->made, [&] {
    reduced_->problem.emplace(*problem_);
    if (!reduced_->problem->any()) return;
    reduced_->search.reset(new LayerSearch(std::make_unique<LayerProblem>(reduced_->problem->problem())));
  });
  if (!reduced_->search) return search(*this);
  LayerAnswer out = reduced_->search->on_reduced(search);
  reduced_->problem->restore(out);
  return out;
}

Result<LayerSearch> LayerSearch::create(const Workload& workload, const Architecture& architecture,
                                        const SearchOptions& options) {
  if (Diagnostics errors = validate_question(options); !errors.empty()) return errors;
  // Factors that do not divide may round every dimension up, to twice its size at most.
  const double steps = std::ldexp(static_cast<double>(workload.macs()), static_cast<int>(workload.dimensions.size()));
  if (Diagnostics errors = uncountable_energies(workload, architecture, steps); !errors.empty()) return errors;
  auto space = resolve(workload, architecture, mapspace_options(options));
  if (!space) return space.errors();
  Architecture machine = architecture;
  machine.link_transfers = false;
  std::unique_ptr<LayerProblem> problem(
      new LayerProblem{workload, machine, options, *std::move(space), CostModel(workload, machine)});
  if (architecture.link_transfers) {
    CostModel linked(workload, architecture);
    if (options.imperfect ? linked.compiled().linked != 0 : links_matter(problem->space, linked.compiled())) {
      problem->linked = std::move(linked);
      // What the search without links has proven is not proven of all mappings.
      if (options.progress)
        problem->options.progress = [tell = options.progress](SearchProgress news) {
          news.lower_bound = 0;
          tell(news);
        };
    }
  }
  if (Diagnostics errors = witness_complaints(*problem); !errors.empty()) return errors;
  if (Diagnostics errors = factors_complaints(*problem); !errors.empty()) return errors;
  LayerSearch out(std::move(problem));
  if (options.strategy == Strategy::Bayes)
    if (Diagnostics errors = unusable_tasks(*out.problem_, out.levels_.orders()); !errors.empty()) return errors;
  return out;
}

LayerAnswer LayerSearch::search(const SearchBudget& budget) const {
  if (problem_->linked && problem_->options.strategy != Strategy::Exact) return search_other_with_links(budget);
  LayerAnswer answer;
  switch (problem_->options.strategy) {
    case Strategy::Exact: {
      if (problem_->options.tiles == Tiles::Even) return search_all_even(budget);
      const LayerAnswer even = search_all_even(budget.half());
      LayerAnswer uneven = run_step("uneven", even.statistics, [&] {
        return uneven_search(*problem_, even, budget.after(even.statistics.evaluated));
      });
      if (problem_->linked) take_with_links(even, uneven.complete || !budget.limits_evaluations(), uneven);
      return uneven;
    }
    case Strategy::Sunstone: answer = search_fast(budget); break;
    case Strategy::Cosa: answer = search_cosa(budget); break;
    default: answer = run_step(name(problem_->options.strategy), [&] { return search_in_one_step(budget); });
  }
  if (answer.end == SearchEnd::Done) answer.end = budget.end(answer.statistics.evaluated);
  return answer;
}

// The strategies that are one search from beginning to end.
LayerAnswer LayerSearch::search_in_one_step(const SearchBudget& budget) const {
  switch (problem_->options.strategy) {
    case Strategy::Thesis: return thesis_search(levels_, budget);
    case Strategy::Random: return random_search(*problem_, budget);
    case Strategy::Bayes: return bayes_search(*problem_, levels_.orders(), greedy_mappings(levels_, 1), budget);
    case Strategy::Exhaustive: return exhaustive_search(*problem_, budget);
    case Strategy::RandomPruned: return random_pruned_search(*problem_, budget);
    case Strategy::Hybrid: return hybrid_search(*problem_, budget);
    case Strategy::Annealing: return annealing_search(*problem_, budget, annealing_steps(budget));
    case Strategy::Genetic: return genetic_search(*problem_, budget);
    case Strategy::DMazeRunner: return dmazerunner_search(*problem_, budget);
    case Strategy::Interstellar: return interstellar_search(*problem_, budget);
    case Strategy::Gradient: return gradient_search(*problem_, budget);
    case Strategy::Exact:
    case Strategy::Sunstone:
    case Strategy::Cosa: break;  // several steps
  }
  return {};
}

// Steps: sunstone, then narrow passes. Exact begins with such passes of its own and asks for sunstone alone. By what
// mappings cost with links sunstone only climbs.
LayerAnswer LayerSearch::search_fast(const SearchBudget& budget) const {
  if (problem_->model.compiled().linked != 0)
    return run_step("sunstone", [&] { return sunstone_search(levels_, budget, kClimbsAlone); });
  return on_reduced([&](const LayerSearch& s) {
    const LayerProblem& problem = *s.problem_;
    const bool quick = narrow_search_is_quick(problem);
    const LayerAnswer start = s.search_sunstone(budget, quick ? kBeforePasses : kClimbsAlone);
    const SearchBudget left = budget.after(start.statistics.evaluated);
    if (!start.found) return s.search_from_nothing(start, left);
    return run_step("narrow", start.statistics, [&] { return narrow_search(problem, start, left); });
  });
}

// Where no start fits: a search of all levels at once, which knows what the levels outside ask of each tile, soon finds
// what does, or that there is nothing.
LayerAnswer LayerSearch::search_from_nothing(const LayerAnswer& start, const SearchBudget& budget) const {
  LayerAnswer out = run_step("exact", start.statistics,
                             [&] { return exact_search(*problem_, start, budget.at_most(share::kFromNothing)); });
  out.end = SearchEnd::Done;  // what a budget of the user's has to do with it, search() says
  return out;
}

LayerAnswer LayerSearch::search_sunstone(const SearchBudget& budget, const ClimbEffort& effort) const {
  return on_reduced([&](const LayerSearch& s) {
    LayerAnswer out = run_step("sunstone", [&] { return sunstone_search(s.levels_, budget, effort); });
    const LayerAnswer other = s.climb_from_edp(out, budget.after(out.statistics.evaluated), effort);
    out.statistics += other.statistics;
    if (other.found) out.offer(s.problem_->options.objective, other.mapping, other.cost, other.machine);
    return out;
  });
}

// Energy alone hardly tells unrollings apart, and the search may climb where few units share words. Where much is left
// to gain, what is found for EDP, which asks for many units, is an answer, too.
LayerAnswer LayerSearch::climb_from_edp(const LayerAnswer& known, const SearchBudget& budget,
                                        const ClimbEffort& effort) const {
  constexpr double kMuch = 1.2;  // above what every mapping costs
  const Objective objective = problem_->options.objective;
  if (info(objective).cycles_power != 0 || !known.found ||
      objective_number(objective, known.cost) <= kMuch * first_bound(budget) || budget.end(0) != SearchEnd::Done)
    return {};
  LayerProblem other = *problem_;
  other.options.objective = Objective::Edp;
  other.options.progress = {};
  return run_step("sunstone for EDP", [&] { return sunstone_search(LevelProblem(other), budget, effort); });
}

std::unique_ptr<LayerProblem> LayerSearch::closed_problem() const {
  if (!problem_->options.open) return nullptr;
  auto closed = std::make_unique<LayerProblem>(*problem_);
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
LayerAnswer LayerSearch::search_even(const SearchBudget& budget, const LayerAnswer* start) const {
  const SearchOptions& options = problem_->options;
  if (!options.open) return search_exact(budget, start);
  auto closed = closed_problem();
  if (!closed) return search_exact(budget, start);
  LayerAnswer known = LayerSearch(std::move(closed)).search_exact(budget.half(), nullptr);
  const SearchBudget left = budget.after(known.statistics.evaluated);
  if (start != nullptr) known.offer(options.objective, start->mapping, start->cost);
  LayerAnswer out =
      search_exact(left, start, known.found ? objective_key(options.objective, known.cost) : ObjectiveKey());
  out.statistics.follow(known.statistics);
  if (known.found) out.offer(options.objective, known.mapping, known.cost);
  out.alternatives = known.mappings();
  return out;
}

// From `start`, of the fast search; null: from what it does here. `limit`: mappings that are not below it are not
// looked for.
LayerAnswer LayerSearch::search_exact(const SearchBudget& budget, const LayerAnswer* start,
                                      const ObjectiveKey& limit) const {
  const Objective objective = problem_->options.objective;
  if (start != nullptr) {
    const ObjectiveKey below = std::min(limit, objective_key(objective, start->cost));
    LayerAnswer out = run_step("exact", [&] { return exact_search(*problem_, {}, budget, below); });
    out.offer(objective, start->mapping, start->cost);
    return out;
  }
  // Of few evaluations the fast search gets all that it asks for, and what it does with a part of them is what it does
  // first with more: the answer is never dearer than its own, nor than with fewer.
  return on_reduced([&](const LayerSearch& s) {
    const LayerAnswer fast = budget.limits_evaluations()
                                 ? s.search_fast(budget.part_of_time(share::kFastBeforeExact))
                                 : s.search_sunstone(budget.part_of_time(share::kFastBeforeExact), kClimbsAlone);
    if (fast.found) s.problem_->report_progress(objective_number(objective, fast.cost), 0, fast.statistics.evaluated);
    return run_step("exact", fast.statistics,
                    [&] { return exact_search(*s.problem_, fast, budget.after(fast.statistics.evaluated), limit); });
  });
}

double LayerSearch::first_bound(const SearchBudget& budget) const {
  if (!problem_->options.evaluator.command.empty()) return 0;
  const Objective objective = problem_->options.objective;
  const KeepRange keep = problem_->keep_range();
  if (!problem_->options.imperfect) return objective_number(objective, compulsory_cost(problem_->model, keep).whole);
  const SearchBudget part = budget.part_of_time(share::kBoundBeforeSearch);
  return imperfect_lower_bound(problem_->model, problem_->space, keep, objective, [&] { return part.over(); });
}

}  // namespace heliolite

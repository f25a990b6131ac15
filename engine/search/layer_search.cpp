#include "engine/search/layer_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/model/mapping_check.h"
#include "engine/model/tile_box.h"
#include "engine/model/true_counts/cost.h"
#include "engine/search/baseline/annealing.h"
#include "engine/search/baseline/dmazerunner.h"
#include "engine/search/baseline/exhaustive.h"
#include "engine/search/baseline/genetic.h"
#include "engine/search/baseline/gradient.h"
#include "engine/search/baseline/interstellar.h"
#include "engine/search/baseline/random_search.h"
#include "engine/search/baseline/timeloop_mapper.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/core/linkable.h"
#include "engine/search/core/option_table.h"
#include "engine/search/exact/exact.h"
#include "engine/search/exact/narrow_search.h"
#include "engine/search/exact/reduced_problem.h"
#include "engine/search/imperfect/imperfect_bound.h"
#include "engine/search/sunstone/strategies.h"
#include "engine/search/uneven/uneven.h"

namespace heliolite {
namespace {

// Why the search could not meet the witness of its options; empty if there is none or it could.
Diagnostics witness_complaints(const LayerProblem& problem) {
  if (!problem.options.witness) return {};
  const Mapping& witness = *problem.options.witness;
  const auto complaint = [](std::string what) { return Diagnostic{"", 0, "witness", std::move(what)}; };
  if (problem.options.strategy != Strategy::Exact || problem.imperfect())
    return {complaint("only strategy exact follows one, and only with perfect factors")};
  if (problem.options.tiles == Tiles::Uneven || !witness.is_even())
    return {complaint("is followed only where each level has one tile (--tiles even)")};
  if (!witness.is_perfect()) return {complaint("has factors that do not divide their dimensions")};
  Diagnostics out = check(witness, problem.workload, problem.architecture);
  if (out.empty()) out = violations(problem.space, witness);
  for (int k = 1; k < witness.loop_count && out.empty(); ++k)
    for (int j = 0; j < k; ++j) {
      const Loop &a = witness.loop[at(j)], &b = witness.loop[at(k)];
      if (a.level == b.level && a.kind == b.kind && a.dimension == b.dimension)
        out.push_back(
            complaint(fmt::format("has two loops over {} at {}, the mapspace one",
                                  problem.space.dimension_names[a.dimension], problem.space.level_names[a.level])));
    }
  return out;
}

// What stands against a search over all tile sizes; empty if nothing does or if it was not asked for.
Diagnostics factors_complaints(const LayerProblem& problem) {
  if (problem.options.factors != Factors::Any) return {};
  const auto complaint = [](std::string what) { return Diagnostic{"", 0, "factors", std::move(what)}; };
  if (!has_true_counts(problem.model.compiled()))
    return {
        complaint(fmt::format("must be perfect for {}: true counts are defined for outputs whose ranks are one "
                              "dimension with coefficient 1 each",
                              problem.workload.name))};
  return {};
}

}  // namespace

Diagnostics unanswerable(const SearchOptions& options) {
  Diagnostics out = misplaced_options(options);
  if (options.factors == Factors::Any && options.imperfect)
    out.push_back({"", 0, "factors", "any and imperfect exclude each other: they count in other ways"});
  if (info(options.strategy).factors == OtherFactors::Refuses && (options.imperfect || options.factors == Factors::Any))
    out.push_back({"", 0, options.imperfect ? "imperfect" : "factors",
                   fmt::format("strategy {} knows factors that divide the sizes only", name(options.strategy))});
  if (options.pad && !options.imperfect && options.factors == Factors::Perfect)
    out.push_back({"", 0, "pad",
                   "needs tiles that do not divide the sizes, which the answer has once it is cut: --factors any or "
                   "--imperfect"});
  if (options.strategy != Strategy::Bayes && (options.from || options.learn))
    out.push_back({"", 0, "strategy", fmt::format("{} learns nothing, bayes does", name(options.strategy))});
  const EvaluatorOptions& evaluator = options.evaluator;
  const bool plain = evaluator.protocol == EvaluatorProtocol::Once && evaluator.seconds == kEvaluatorSeconds;
  if (evaluator.command.empty() && !plain)
    out.push_back({"", 0, "evaluator", "is not given, the other options of an evaluator are"});
  if (options.tiles == Tiles::Even) return out;
  if (options.strategy != Strategy::Exact)
    out.push_back({"", 0, "tiles",
                   fmt::format("uneven ones need strategy exact, {} knows even ones only", name(options.strategy))});
  if (options.imperfect || options.factors == Factors::Any)
    out.push_back({"", 0, "tiles",
                   fmt::format("uneven ones need factors that divide the sizes; leave out {}",
                               options.imperfect ? "imperfect" : "factors any")});
  return out;
}

LayerSearch::LayerSearch(std::unique_ptr<LayerProblem> problem) : problem_(std::move(problem)), levels_(*problem_) {}

Result<LayerSearch> LayerSearch::create(const Workload& workload, const Architecture& architecture,
                                        const SearchOptions& options) {
  if (Diagnostics errors = unanswerable(options); !errors.empty()) return errors;
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
  LayerAnswer answer;
  switch (problem_->options.strategy) {
    case Strategy::Exact: {
      if (searches_links()) {
        const LayerAnswer without = search_even(budget.half());
        return with_links(without, budget.after(without.statistics.evaluated));
      }
      if (problem_->options.tiles == Tiles::Even) return search_even(budget);
      const LayerAnswer even = search_even(budget.half());
      return uneven_search(*problem_, even, budget.after(even.statistics.evaluated));
    }
    case Strategy::Sunstone: answer = search_fast(budget); break;
    case Strategy::Thesis: answer = thesis_search(levels_, budget); break;
    case Strategy::Random: answer = random_search(*problem_, budget); break;
    case Strategy::Bayes: answer = bayes_search(*problem_, levels_.orders(), budget); break;
    case Strategy::Exhaustive: answer = exhaustive_search(*problem_, budget); break;
    case Strategy::Cosa: answer = search_cosa(budget); break;
    case Strategy::RandomPruned: answer = random_pruned_search(*problem_, budget); break;
    case Strategy::Hybrid: answer = hybrid_search(*problem_, budget); break;
    case Strategy::Annealing: answer = annealing_search(*problem_, budget); break;
    case Strategy::Genetic: answer = genetic_search(*problem_, budget); break;
    case Strategy::DMazeRunner: answer = dmazerunner_search(*problem_, budget); break;
    case Strategy::Interstellar: answer = interstellar_search(*problem_, budget); break;
    case Strategy::Gradient: answer = gradient_search(*problem_, budget); break;
  }
  if (answer.end == SearchEnd::Done) answer.end = budget.end(answer.statistics.evaluated);
  return answer;
}

bool LayerSearch::searches_links() const {
  return problem_->linked && problem_->options.tiles == Tiles::Even && !problem_->imperfect() &&
         links_searched(problem_->space, problem_->linked->compiled());
}

// The answer without links, with the best mapping of those that have some beside it.
LayerAnswer LayerSearch::with_links(LayerAnswer without, const SearchBudget& budget) const {
  if (!without.found) return without;
  LayerProblem problem{problem_->workload, problem_->linked->architecture(), problem_->options, problem_->space,
                       *problem_->linked};
  problem.options.witness.reset();
  problem.options.progress = {};
  LayerAnswer start;
  start.offer(problem.options.objective, without.mapping, problem.model.evaluate(without.mapping).cost);
  // Unless there is a budget, it may take a few times as long as before.
  constexpr u64 kLeast = 200'000, kTimes = 4;
  const SearchBudget left =
      budget.limited() ? budget : budget.at_most(std::max(kLeast, kTimes * without.statistics.evaluated));
  auto found = std::make_shared<LayerAnswer>(exact_search(problem, start, left));
  without.statistics += found->statistics;
  without.with_links = std::move(found);
  return without;
}

// Exact begins with a narrow pass of its own, which is why search_sunstone() has none.
LayerAnswer LayerSearch::search_fast(const SearchBudget& budget) const {
  const ReducedProblem reduced(*problem_);
  if (reduced.any()) {
    LayerAnswer out = LayerSearch(std::make_unique<LayerProblem>(reduced.problem())).search_fast(budget);
    reduced.restore(out);
    return out;
  }
  const LayerAnswer start = search_sunstone(budget);
  return start.found ? narrow_search(*problem_, start, budget.after(start.statistics.evaluated)) : start;
}

// Energy alone hardly tells unrollings apart, and the search may climb where few units share words. Where much is left
// to gain it also takes what it finds for EDP, which asks for many units.
LayerAnswer LayerSearch::search_sunstone(const SearchBudget& budget) const {
  constexpr double kMuch = 1.2;  // above what every mapping costs
  const ReducedProblem reduced(*problem_);
  if (reduced.any()) {
    LayerAnswer out = LayerSearch(std::make_unique<LayerProblem>(reduced.problem())).search_sunstone(budget);
    reduced.restore(out);
    return out;
  }
  LayerAnswer out = sunstone_search(levels_, budget);
  const Objective objective = problem_->options.objective;
  if (objective != Objective::Energy || !out.found || objective_number(objective, out.cost) <= kMuch * first_bound())
    return out;
  auto other = std::make_unique<LayerProblem>(*problem_);
  other->options.objective = Objective::Edp;
  other->options.progress = {};
  const LayerSearch search(std::move(other));
  const LayerAnswer found = sunstone_search(search.levels_, budget.after(out.statistics.evaluated));
  out.statistics += found.statistics;
  if (found.found) out.offer(objective, found.mapping, found.cost, found.machine);
  return out;
}

// Where the keep rules of the machine are lifted, they still leave a part of the mapspace, in which the same time goes
// a longer way: the answer is never worse than the best found there.
LayerAnswer LayerSearch::search_even(const SearchBudget& budget) const {
  const SearchOptions& options = problem_->options;
  if (!options.open) return search_exact(budget);
  auto closed = std::make_unique<LayerProblem>(*problem_);
  closed->options.open = false;
  closed->options.progress = {};
  closed->options.witness.reset();
  auto space = resolve(closed->workload, closed->architecture, mapspace_options(closed->options));
  if (!space) return search_exact(budget);
  closed->space = *std::move(space);
  const LayerAnswer known = LayerSearch(std::move(closed)).search_exact(budget.half());
  LayerAnswer out = search_exact(budget.after(known.statistics.evaluated),
                                 known.found ? objective_key(options.objective, known.cost) : ObjectiveKey());
  out.statistics += known.statistics;
  if (known.found) out.offer(options.objective, known.mapping, known.cost);
  return out;
}

// `limit`: mappings that are not below it are not looked for.
LayerAnswer LayerSearch::search_exact(const SearchBudget& budget, const ObjectiveKey& limit) const {
  const ReducedProblem reduced(*problem_);
  if (reduced.any()) {
    LayerAnswer out = LayerSearch(std::make_unique<LayerProblem>(reduced.problem())).search_exact(budget, limit);
    reduced.restore(out);
    return out;
  }
  const LayerAnswer start = search_sunstone(budget.half());
  if (start.found)
    problem_->tell(objective_number(problem_->options.objective, start.cost), 0, start.statistics.evaluated);
  return exact_search(*problem_, start, budget.after(start.statistics.evaluated), limit);
}

// MACs over what all units could do in these cycles.
double LayerSearch::utilization(u64 cycles) const {
  return static_cast<double>(problem_->model.compiled().macs) /
         static_cast<double>(problem_->architecture.compute.instances) / static_cast<double>(cycles);
}

MappingResult LayerSearch::conclude(const LayerAnswer& best, double bound) const {
  const Objective objective = problem_->options.objective;
  MappingResult out;
  out.strategy = not_searched(best.end) ? Strategy::Sunstone : problem_->options.strategy;
  out.statistics = best.statistics;
  out.statistics.rules += levels_.order_counts();
  out.witness = best.witness;
  out.mip = best.mip;
  out.evaluator = best.evaluator;
  if (!best.found && !best.why_not_found.empty()) {
    out.why_infeasible = best.why_not_found;
    return out;
  }
  if (!best.found && best.evaluator && best.evaluator->failures > 0) {
    const EvaluatorReport& report = *best.evaluator;
    out.why_infeasible.push_back({"", 0, "evaluator",
                                  fmt::format("gave no mapping a value: {} evaluations, {} failures, the first one: {}",
                                              report.evaluations, report.failures, report.first_failure)});
    return out;
  }
  if (!best.found) {
    const bool limited = problem_->options.budget_seconds || problem_->options.budget_evaluations;
    if (limited && !best.complete) out.why_infeasible.push_back({"", 0, "", "no mapping was found within the budget"});
    else out.why_infeasible = why_infeasible();
    return out;
  }
  out.mapping = best.mapping;
  out.cost = best.cost;
  out.utilization = utilization(out.cost.cycles);
  out.value = best.number(objective);
  if (best.evaluator) {
    out.status = Status::Measured;
    out.end = best.end;
    out.why_not_proven = "nothing is known of the evaluator's values";
    if (best.end != SearchEnd::Done) out.why_not_proven += ", and " + explain(best.end, *problem_);
    return out;
  }
  out.lower_bound = bound;
  if (best.lower_bound) out.lower_bound = std::max(out.lower_bound, *best.lower_bound);
  if (best.complete) out.lower_bound = out.value;
  out.gap = out.lower_bound > 0 ? out.value / out.lower_bound - 1 : 0;
  out.status = out.value <= out.lower_bound ? Status::Optimal : Status::Bounded;
  if (out.status != Status::Optimal) {
    out.end = best.end;
    out.why_not_proven = explain(best.end, *problem_);
  }
  if (problem_->linked) add_links(best, out);
  return out;
}

// What was proven of `out` is proven of mappings without links: of those that have none, and of all where none was
// searched.
void LayerSearch::add_links(const LayerAnswer& best, MappingResult& out) const {
  const Objective objective = problem_->options.objective;
  out.without_links = WithoutLinks{out.status, out.value, out.lower_bound};
  const LayerAnswer* const linked = best.with_links.get();
  if (linked != nullptr) out.mapping = linked->mapping;
  out.cost = problem_->linked->evaluate(out.mapping, problem_->counts()).cost;
  out.utilization = utilization(out.cost.cycles);
  out.value = objective_number(objective, out.cost);
  // Averages of factors that do not divide lose MACs: then nothing is known.
  double least = problem_->options.imperfect
                     ? 0
                     : objective_number(objective, compulsory_cost(*problem_->linked, problem_->keep_range()).whole);
  if (linked != nullptr && linked->complete) least = out.value;
  else if (linked != nullptr && linked->lower_bound) least = std::max(least, *linked->lower_bound);
  out.lower_bound = std::min(least, out.lower_bound);
  out.gap = out.lower_bound > 0 ? out.value / out.lower_bound - 1 : 0;
  if (out.status == Status::Optimal && out.value <= out.lower_bound) return;
  const SearchOptions& options = problem_->options;
  const bool given_up = linked != nullptr && linked->end == SearchEnd::Evaluations && !options.budget_evaluations;
  std::string_view why = "which were not searched";
  if (given_up) why = "with which the search was given up; with a --budget it goes on";
  else if (linked != nullptr && !linked->complete) why = "with which the search was not completed";
  else if (linked != nullptr && out.value > out.without_links->value) why = "with which it costs more";
  else if (linked != nullptr) why = "with which it costs no more";
  const std::string without = fmt::format("{} without link transfers, {}", name(out.without_links->status), why);
  out.status = Status::Bounded;
  if (linked != nullptr && !given_up && out.end == SearchEnd::Done) out.end = linked->end;
  const std::string end = explain(out.end, *problem_);
  out.why_not_proven = end.empty() ? without : fmt::format("{}; {}", without, end);
}

double LayerSearch::first_bound() const {
  if (!problem_->options.evaluator.command.empty()) return 0;
  const Objective objective = problem_->options.objective;
  const KeepRange keep = problem_->keep_range();
  return problem_->options.imperfect ? imperfect_lower_bound(problem_->model, problem_->space, keep, objective)
                                     : objective_number(objective, compulsory_cost(problem_->model, keep).whole);
}

Diagnostics LayerSearch::why_infeasible() const {
  const Mapspace& space = problem_->space;
  const Architecture& architecture = problem_->architecture;
  if (problem_->options.stop != nullptr && problem_->options.stop->load())
    return {{"", 0, "", "stopped before a mapping was found"}};
  Diagnostics out = problem_->imperfect() ? Diagnostics{} : perfect_factor_conflicts(space);
  const Compiled& c = problem_->model.compiled();
  Extents tile;  // the smallest each level must hold: what constraints fix inside it
  tile.fill(1);
  for (int i = 0; i < c.level_count; ++i) {
    const LevelSpace& level = space.levels[at(i)];
    for (int d = 0; d < c.dimension_count; ++d)
      tile[d] = std::min<u64>(c.size[d], tile[d] * level.temporal.factor[d].min * level.spatial.factor[d].min);
    u64 used = 0;
    std::string parts;
    for (int v = 0; v < c.tensor_count; ++v) {
      if (!contains(level.keep, v)) continue;
      const u64 words = box_words(c.tensor[v], tile);
      used += words;
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", problem_->workload.tensors[at(v)].name, words);
    }
    if (used > c.level[i].capacity_words)
      out.push_back(
          {"", 0, architecture.levels[at(i)].name,
           fmt::format("holds {} words, the smallest tile needs {} ({})", c.level[i].capacity_words, used, parts)});
  }
  if (out.empty())
    out.push_back({"", 0, "",
                   "the constraints of " + architecture.name + " leave no mapping that fits; see what --free changes"});
  return out;
}

}  // namespace heliolite

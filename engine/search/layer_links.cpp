// What a search of one layer does where link transfers change what mappings cost (docs/link_transfers.md): searches
// that count them beside those that do not, and what both prove together.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/baseline/annealing.h"
#include "engine/search/baseline/exhaustive.h"
#include "engine/search/core/limits.h"
#include "engine/search/core/linkable.h"
#include "engine/search/exact/exact.h"
#include "engine/search/exact/unit_links.h"
#include "engine/search/layer_search.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {
namespace {

// Without a budget, evaluations of the search with links for each of the one without, and at least.
constexpr u64 kTimes = 4, kLeast = 400'000;
// Mappings of a mapspace whose mappings are looked at one by one without a budget.
constexpr u64 kMany = 400'000;
constexpr u64 kClimbs = 20'000;  // evaluations of climbs with links, at most

// The search with links, from the answer without: `without`, of `problem.model`.
class LinkSearch {
 public:
  LinkSearch(const LayerProblem& problem, const LayerAnswer& without, double first_bound, const SearchBudget& budget)
      : problem_(problem), linked_(problem.with_links()), budget_(budget), limited_(budget.limited()) {
    const Objective objective = problem.options.objective;
    if (!limited_) budget_ = budget.at_most(std::max(kLeast, kTimes * without.statistics.evaluated));
    best_.offer(objective, without.mapping, linked_.model.evaluate(without.mapping).cost);
    without_ = without.complete ? without.number(objective) : std::max(first_bound, without.lower_bound.value_or(0));
    least_ = objective_number(objective, compulsory_cost(linked_.model, problem.keep_range()).whole);
    count_mappings();
  }

  LayerAnswer run() {
    // Step 1. A better start, and what is proven.
    climb();
    if (linkable_tensors(problem_.space, linked_.model.compiled(), 0) != 0) bound_unit_links();
    else if (links_searched(problem_.space, linked_.model.compiled())) bound_links();
    // Step 2. What is left of the budget: all mappings, if it is enough, or chance.
    if (!done() && nests_ <= (limited_ ? budget_.evaluations_left(0) : kMany)) one_by_one();
    anneal();
    best_.complete = done();
    best_.lower_bound = std::min(least_, best_.number(problem_.options.objective));
    if (best_.complete) best_.end = SearchEnd::Done;
    return std::move(best_);
  }

 private:
  bool done() const { return all_seen_ || best_.number(problem_.options.objective) <= least_; }
  ObjectiveKey limit() const { return objective_key(problem_.options.objective, best_.cost); }

  void count_mappings() {
    const MapspaceSize size = mapspace_size(problem_.space);
    if (size.nests && *size.nests <= BigCount{kMaxCount}) nests_ = static_cast<u64>(*size.nests);
  }

  // What a search found and used.
  void take(const LayerAnswer& found) {
    best_.statistics += found.statistics;
    budget_ = budget_.after(found.statistics.evaluated);
    if (found.found) best_.offer(problem_.options.objective, found.mapping, found.cost);
  }
  void prove(double bound) { least_ = std::max(least_, bound); }

  void one_by_one() {
    const LayerAnswer found = exhaustive_search(linked_, budget_);
    take(found);
    all_seen_ |= found.complete;
    if (!found.complete) best_.end = budget_.end(0);
  }

  void climb() {
    take(sunstone_search(LevelProblem(linked_), budget_.part_of_time(0.2).at_most(kClimbs), kClimbsAlone));
  }

  // Other seeds until the budget is used up.
  void anneal() {
    LayerProblem problem = linked_;
    for (u64 before = ~u64{0}; !done() && budget_.end(0) == SearchEnd::Done && best_.statistics.evaluated != before;
         ++problem.options.seed) {
      before = best_.statistics.evaluated;
      take(annealing_search(problem, budget_));
      if (!limited_) break;
    }
    if (!done()) best_.end = std::max(best_.end, limited_ ? budget_.end(0) : SearchEnd::Evaluations);
  }

  // Further out: mappings without words over links cost what they cost without links, the others are searched.
  void bound_links() {
    LayerAnswer start = best_;
    start.statistics = {};
    const LayerAnswer found = exact_search(linked_, start, budget_.part_of_time(0.8));
    take(found);
    prove(std::min(without_, bound_of(found)));
    best_.end = std::max(best_.end, found.end);
  }

  // Of a search for what is below the best mapping.
  double bound_of(const LayerAnswer& found) const {
    const double best = best_.number(problem_.options.objective);
    if (!found.complete) return found.lower_bound.value_or(0);
    return found.found ? std::min(best, found.number(problem_.options.objective)) : best;
  }

  // Among the units: all unrollings on the machine with registers, then each class of them.
  void bound_unit_links() {
    const std::vector<UnitLinks> classes = unit_links(linked_);
    if (classes.size() > 1) prove(bound_of(joined(classes), budget_.part(0.4)));
    double least = best_.number(problem_.options.objective);
    for (std::size_t k = 0; k < classes.size() && least > least_; ++k) {
      const double share = 1 / static_cast<double>(classes.size() - k + 1);
      least = std::min(least, bound_of(classes[k], budget_.part(share)));
    }
    prove(std::min(least, best_.number(problem_.options.objective)));
  }

  double bound_of(const UnitLinks& links, const SearchBudget& budget) {
    LayerProblem registers = with_unit_registers(
        LayerProblem{problem_.workload, problem_.architecture, linked_.options, problem_.space, linked_.model}, links);
    if (at(registers.space.level_count()) > kMaxLevels) return 0;
    // Without links among the units, and none further out, the answer without links says as much.
    if (links.held == 0 && links.inexact == 0 && !registers.linked) return without_;
    const LayerAnswer still = exact_search(registers, {}, registers.linked ? budget.half() : budget, limit());
    const double bound = register_bound(still);
    if (!registers.linked) return bound;
    if (!links_searched(registers.space, registers.linked->compiled())) return 0;
    const LayerAnswer moving =
        exact_search(registers.with_links(), {}, budget.after(still.statistics.evaluated), limit());
    return std::min(bound, register_bound(moving));
  }

  // A mapping of the machine with registers may cost more with links, and is offered at what it costs.
  double register_bound(const LayerAnswer& found) {
    const double bound = bound_of(found);
    LayerAnswer offered;
    offered.statistics = found.statistics;
    if (found.found) {
      const Mapping mapping = without_unit_registers(found.mapping);
      offered.offer(problem_.options.objective, mapping, linked_.model.evaluate(mapping).cost);
    }
    best_.end = std::max(best_.end, found.end);
    take(offered);
    return bound;
  }

  const LayerProblem& problem_;
  const LayerProblem linked_;
  SearchBudget budget_;
  bool limited_;
  LayerAnswer best_;
  double without_ = 0;   // no mapping is below without links
  double least_ = 0;     // nor with links
  u64 nests_ = ~u64{0};  // mappings
  bool all_seen_ = false;
};

}  // namespace

// Half of a budget is for finding the answer without links, which is a bound of mappings that have none.
LayerAnswer LayerSearch::search_all_even(const SearchBudget& budget) const {
  if (!problem_->linked || problem_->options.imperfect) return search_even(budget);
  const LayerAnswer without = search_even(budget.part(0.5));
  return with_links(without, budget.after(without.statistics.evaluated));
}

// The answer without links, with the best mapping of all beside it.
LayerAnswer LayerSearch::with_links(LayerAnswer without, const SearchBudget& budget) const {
  if (!without.found) return without;
  auto found = std::make_shared<LayerAnswer>(LinkSearch(*problem_, without, first_bound(budget), budget).run());
  without.statistics += found->statistics;
  without.with_links = std::move(found);
  return without;
}

// Strategies that only need values get them with links. The others answer without, and sunstone climbs from scratch.
LayerAnswer LayerSearch::search_other_with_links(const SearchBudget& budget) const {
  const Strategy strategy = problem_->options.strategy;
  const bool prices = info(strategy).values || strategy == Strategy::DMazeRunner || strategy == Strategy::Interstellar;
  auto other = std::make_unique<LayerProblem>(prices ? problem_->with_links() : *problem_);
  other->options.progress = problem_->options.progress;
  other->linked.reset();
  const bool climbs = strategy == Strategy::Sunstone && !problem_->options.imperfect;
  LayerAnswer out = LayerSearch(std::move(other)).search(climbs ? budget.half() : budget);
  if (!out.found || out.evaluator) return out;
  const Objective objective = problem_->options.objective;
  LayerAnswer linked = out;
  if (climbs) {
    const LayerProblem problem = problem_->with_links();
    const LayerAnswer found =
        sunstone_search(LevelProblem(problem), budget.after(out.statistics.evaluated), kClimbsAlone);
    out.statistics += found.statistics;
    linked.value = Value::worst();
    linked.found = false;
    linked.offer(objective, out.mapping, problem.model.evaluate(out.mapping).cost);
    if (found.found) linked.offer(objective, found.mapping, found.cost);
  }
  if (prices) {
    // What it is without links.
    out.complete = false;
    out.lower_bound.reset();
    out.cost = problem_->model.evaluate(out.mapping, problem_->counts()).cost;
    out.value = Value::of(objective, out.cost);
  }
  if (prices || climbs) out.with_links = std::make_shared<const LayerAnswer>(std::move(linked));
  return out;
}

// What was proven of `out` is proven of mappings without links alone.
void LayerSearch::add_links(const LayerAnswer& best, MappingResult& out) const {
  const Objective objective = problem_->options.objective;
  out.without_links = WithoutLinks{out.status, out.value, out.lower_bound};
  const LayerAnswer* const linked = best.with_links.get();
  if (linked != nullptr) out.mapping = linked->mapping;
  out.cost = problem_->linked->evaluate(out.mapping, problem_->counts()).cost;
  for (const Mapping& other : best.beside) {
    const Cost cost = problem_->linked->evaluate(other, problem_->counts()).cost;
    if (Value::of(objective, cost) < Value::of(objective, out.cost)) out.mapping = other, out.cost = cost;
  }
  out.utilization = utilization(out.cost.cycles);
  out.value = objective_number(objective, out.cost);
  // Averages of factors that do not divide lose MACs: then nothing is known.
  double least = problem_->options.imperfect
                     ? 0
                     : objective_number(objective, compulsory_cost(*problem_->linked, problem_->keep_range()).whole);
  if (linked != nullptr && linked->lower_bound) least = std::max(least, *linked->lower_bound);
  if (linked != nullptr && linked->complete) least = out.value;
  out.lower_bound = std::min(least, out.value);
  out.gap = out.lower_bound > 0 ? out.value / out.lower_bound - 1 : 0;
  out.status = out.value <= out.lower_bound ? Status::Optimal : Status::Bounded;
  if (out.status == Status::Optimal) {
    out.end = SearchEnd::Done;
    out.why_not_proven.clear();
    return;
  }
  const SearchOptions& options = problem_->options;
  const bool given_up = linked != nullptr && linked->end == SearchEnd::Evaluations && !options.budget_evaluations;
  std::string_view why = "which were not searched";
  if (given_up) why = "with which the search was given up; with a --budget it goes on";
  else if (linked != nullptr && out.value > out.without_links->value) why = "with which it costs more";
  else if (linked != nullptr) why = "with which the search was not completed";
  const std::string without = fmt::format("{} without link transfers, {}", name(out.without_links->status), why);
  if (linked != nullptr && !given_up && out.end == SearchEnd::Done) out.end = linked->end;
  const std::string end = explain(out.end, *problem_);
  out.why_not_proven = end.empty() ? without : fmt::format("{}; {}", without, end);
}

}  // namespace heliolite

// What a search of one layer does where link transfers change what mappings cost (docs/link_transfers.md): searches
// that count them after those that do not, and what both prove together.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/baseline/strategies.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/rules.h"
#include "engine/search/exact/exact.h"
#include "engine/search/schedule.h"
#include "engine/search/sunstone/strategies.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {
namespace {

// The search with links, from what is known. Under a limit of evaluations its steps are settled by `stage`, of which
// `budget` may leave less: it then stops where a larger budget goes on, and what it has found is found with that as
// well.
class LinkSearch {
 public:
  // `known`: the best mapping with links. No mapping is below `without` without links.
  LinkSearch(const LayerProblem& problem, const LayerAnswer& known, double without, const SearchBudget& budget,
             const SearchBudget& stage)
      : problem_(problem),
        linked_(perfect(problem.by_whole_model())),
        budget_(stage),
        left_(budget.evaluations_left(0)),
        user_(budget),
        limited_(budget.limited()),
        without_(without) {
    if (known.found) best_.offer(problem.options.objective, known.mapping, known.cost);
    least_ = objective_number(problem.options.objective, compulsory_cost(linked_.model, problem.keep_range()).whole);
    count_mappings();
  }

  LayerAnswer run() {
    // Step 1. What is proven.
    units_ = tensors_with_peers(problem_.space, linked_.model.compiled(), 0) != 0;
    if (peers_searched(problem_.space, linked_.model.compiled())) bound_links();
    else if (units_ && gate().on(Rule::UnitRegisters)) bound_unit_links();
    // Step 2. What is left of the budget: all mappings, if it is enough, or chance.
    if (!done() && nests_ <= (limited_ ? budget_.evaluations_left(0) : share::kMostOneByOne)) one_by_one();
    anneal();
    best_.complete = done();
    best_.lower_bound = std::min(least_, best_.number(problem_.options.objective));
    if (best_.complete) best_.end = SearchEnd::Done;
    return std::move(best_);
  }

 private:
  static LayerProblem perfect(LayerProblem problem) {
    problem.options.factors = Factors::Perfect;
    return problem;
  }

  Gate gate() { return {problem_.options.rules, best_.statistics.rules}; }
  bool done() const { return all_seen_ || best_.number(problem_.options.objective) <= least_; }
  ObjectiveKey limit() const { return objective_key(problem_.options.objective, best_.cost); }

  void count_mappings() {
    const MapspaceSize size = mapspace_size(problem_.space);
    if (size.nests && *size.nests <= BigCount{kMaxCount}) nests_ = static_cast<u64>(*size.nests);
  }

  // What of a step's budget there is.
  SearchBudget there(const SearchBudget& step) const { return step.at_most(left_); }
  bool whole(const SearchBudget& step) const { return !limited_ || left_ >= step.evaluations_left(0); }

  // What a step found and used. One that has been cut short is the last, and counts if it is `the_same`: if with more
  // evaluations it would have gone on from there.
  void take(const LayerAnswer& found, const SearchBudget& step, bool the_same) {
    const bool cut = !whole(step) && !found.complete;
    best_.statistics += found.statistics;
    budget_ = budget_.after(found.statistics.evaluated);
    user_ = user_.after(found.statistics.evaluated);
    left_ = cut ? 0 : left_ - std::min(left_, found.statistics.evaluated);
    if (found.found && (!cut || the_same)) best_.offer(problem_.options.objective, found.mapping, found.cost);
  }
  void prove(double bound) { least_ = std::max(least_, bound); }

  void one_by_one() {
    const LayerAnswer found =
        run_step("exhaustive with links", [&] { return exhaustive_search(linked_, there(budget_)); });
    take(found, budget_, true);
    all_seen_ |= found.complete;
    if (!found.complete) best_.end = there(budget_).end(0);
  }

  // As the strategy does by itself, then with other seeds until the budget is used up.
  void anneal() {
    LayerProblem problem = linked_;
    for (u64 before = ~u64{0};
         !done() && there(limited_ ? budget_ : user_).end(0) == SearchEnd::Done && best_.statistics.evaluated != before;
         ++problem.options.seed) {
      before = best_.statistics.evaluated;
      const SearchBudget part = limited_ ? budget_ : user_;
      const auto anneal = [&] { return annealing_search(problem, there(part), annealing_steps(part)); };
      take(run_step("annealing with links", anneal), part, true);
      if (!limited_) break;
    }
    if (!done()) best_.end = std::max(best_.end, limited_ ? there(budget_).end(0) : SearchEnd::Evaluations);
  }

  // Further out: mappings without words over links cost what they cost without links, the others are searched. Where
  // units pass words to each other all are.
  void bound_links() {
    LayerAnswer start = best_;
    start.statistics = {};
    const SearchBudget step = share::kExactByWholeModel.of(budget_);
    const LayerAnswer found = run_step("exact with links", [&] { return exact_search(linked_, start, there(step)); });
    take(found, step, false);
    prove(units_ ? bound_of(found) : std::min(without_, bound_of(found)));
    best_.end = std::max(best_.end, found.end);
  }

  // The bound that a search for what is below the best mapping proves.
  double bound_of(const LayerAnswer& found) const {
    const double best = best_.number(problem_.options.objective);
    if (!found.complete) return found.lower_bound.value_or(0);
    return found.found ? std::min(best, found.number(problem_.options.objective)) : best;
  }

  // Among the units, where words on their way have a price: all unrollings, then each class of them.
  void bound_unit_links() {
    const std::vector<UnitLinks> classes = unit_links(linked_);
    if (classes.size() > 1) prove(bound_of(joined(classes), budget_.part(share::kRegistersTogether)));
    double least = best_.number(problem_.options.objective);
    for (std::size_t k = 0; k < classes.size() && least > least_; ++k) {
      const double part = 1 / static_cast<double>(classes.size() - k + 1);
      const double bound = bound_of(classes[k], budget_.part(part));
      gate().prunes(Rule::UnitRegisters, [&] { return bound >= best_.number(problem_.options.objective); });
      least = std::min(least, bound);
    }
    prove(std::min(least, best_.number(problem_.options.objective)));
  }

  double bound_of(const UnitLinks& links, const SearchBudget& budget) {
    const LayerProblem model{problem_.workload, problem_.architecture, linked_.options, problem_.space, linked_.model};
    if (links.inexact != 0) return class_bound(with_free_networks(model, links), budget);
    const LayerProblem registers = with_unit_registers(model, links);
    if (at(registers.space.level_count()) > kMaxLevels) return 0;
    // Without links among the units, and none further out, the answer without links says as much.
    if (links.held == 0 && !registers.whole_model) return without_;
    const u64 before = best_.statistics.evaluated;
    const double bound = class_bound(registers, registers.whole_model ? budget.half() : budget);
    if (!registers.whole_model) return bound;
    return std::min(bound, class_bound(registers.by_whole_model(), budget.after(best_.statistics.evaluated - before)));
  }

  // The bound of a class on a machine that is as good or better: a mapping may cost more, and is offered at what it
  // costs.
  double class_bound(const LayerProblem& machine, const SearchBudget& step) {
    const Compiled& c = machine.model.compiled();
    if (c.peers != 0 && !peers_searched(machine.space, c)) return 0;
    const bool registers = machine.space.level_count() > problem_.space.level_count();
    const LayerAnswer found = run_step(registers ? "exact with registers" : "exact with free networks",
                                       [&] { return exact_search(machine, {}, there(step), limit()); });
    const double bound = bound_of(found);
    LayerAnswer offered;
    offered.statistics = found.statistics;
    if (found.found) {
      const Mapping mapping = registers ? without_unit_registers(found.mapping) : found.mapping;
      offered.offer(problem_.options.objective, mapping, linked_.model.evaluate(mapping).cost);
    }
    offered.complete = found.complete;
    best_.end = std::max(best_.end, found.end);
    take(offered, step, false);
    return bound;
  }

  const LayerProblem& problem_;
  const LayerProblem linked_;
  SearchBudget budget_;  // what is left of the stage
  u64 left_;             // and how many evaluations of it there are
  SearchBudget user_;    // what is left in all
  bool limited_;
  bool units_ = false;  // may pass words to each other
  LayerAnswer best_;
  double without_;       // no mapping is below without links
  double least_ = 0;     // nor with links
  u64 nests_ = ~u64{0};  // mappings
  bool all_seen_ = false;
};

// Climbs with links come first: what they do with few evaluations is what they do first with more. Then what is found
// without links, which a limit of evaluations may end anywhere: then it says nothing of what it would cost with them.
LayerAnswer run_sunstone_by_whole_model(const LayerSearch& layer, const SearchBudget& budget) {
  const LayerProblem& problem = layer.problem();
  const Objective objective = problem.options.objective;
  const LayerProblem linked = problem.by_whole_model();
  LayerAnswer climbed = run_step("sunstone with links", [&] {
    return sunstone_search(LevelProblem(linked), share::kClimbsByWholeModel.of(budget), kClimbsAlone);
  });
  const SearchBudget left = budget.after(climbed.statistics.evaluated);
  LayerAnswer out, known;
  if (left.end(0) == SearchEnd::Done || !climbed.found) out = run_sunstone(layer, left);
  const bool whole = !budget.limits_evaluations() || left.end(out.statistics.evaluated) == SearchEnd::Done;
  out.statistics.follow(climbed.statistics);
  if (climbed.found) {
    out.offer(objective, climbed.mapping, problem.model.evaluate(climbed.mapping).cost);
    known.by_whole_model = std::make_shared<const LayerAnswer>(std::move(climbed));
  }
  take_by_whole_model(problem, known, whole, out);
  if (out.end == SearchEnd::Done) out.end = budget.end(out.statistics.evaluated);
  return out;
}

// Where exact goes on from `fast`: first without links, then with them.
LayerAnswer run_whole_model_stage(const LayerSearch& layer, const LayerAnswer& known, const SearchBudget& budget,
                                  const SearchBudget& stage) {
  const LayerProblem& problem = layer.problem();
  const Objective objective = problem.options.objective;
  const bool limited = budget.limits_evaluations();
  LayerAnswer out = known;
  bool whole = true;
  if (!known.complete) {
    const SearchBudget step = limited ? stage.half() : share::kExactWithoutPeers.of(budget);
    out = run_exact(layer, step.at_most(budget.evaluations_left(0)), known.found ? &known : nullptr);
    whole = out.complete || !limited || budget.allows(step.evaluations_left(0));
  } else {
    out.statistics = {};
  }
  take_by_whole_model(problem, known, whole, out);
  if (known.lower_bound) out.lower_bound = std::max(out.lower_bound.value_or(0), *known.lower_bound);
  const std::optional<double> proven = known.by_whole_model ? known.by_whole_model->lower_bound : std::nullopt;
  if (!out.found) return out;
  if (!whole) {
    LayerAnswer linked = *out.by_whole_model;
    linked.lower_bound = proven;
    out.by_whole_model = std::make_shared<const LayerAnswer>(std::move(linked));
    return out;
  }
  const u64 used = out.statistics.evaluated;
  const double least = objective_number(objective, compulsory_cost(problem.model, problem.keep_range()).whole);
  const double without = out.complete ? out.number(objective) : std::max(least, out.lower_bound.value_or(0));
  SearchBudget rest = stage.after(used);
  if (!budget.limited()) rest = rest.at_most(std::max(share::kLeastByWholeModel, share::kTimesByWholeModel * used));
  LinkSearch search(problem, *out.by_whole_model, without, budget.after(used), rest);
  LayerAnswer found = search.run();
  if (proven) found.lower_bound = std::max(*found.lower_bound, *proven);
  out.statistics += found.statistics;
  out.by_whole_model = std::make_shared<const LayerAnswer>(std::move(found));
  return out;
}

}  // namespace

void take_by_whole_model(const LayerProblem& problem, const LayerAnswer& known, bool own, LayerAnswer& out) {
  LayerAnswer linked;
  const auto offer = [&](const Mapping& mapping) {
    const Cost cost = problem.whole_model->evaluate(mapping, problem.counts()).cost;
    linked.offer(problem.options.objective, mapping, cost);
  };
  if (out.by_whole_model) linked = *out.by_whole_model;
  for (const Mapping& mapping : known.mappings()) offer(mapping);
  if (out.found && (own || !linked.found)) offer(out.mapping);
  if (own)
    for (const Mapping& mapping : out.alternatives) offer(mapping);
  out.alternatives.clear();
  if (!linked.found) return;
  linked.statistics = {};
  linked.complete = false;
  linked.lower_bound.reset();
  out.by_whole_model = std::make_shared<const LayerAnswer>(std::move(linked));
}

// The answer of exact without links, with the best mapping with links in `by_whole_model`. Under a limit of evaluations
// it begins as sunstone does, and goes on in stages once that is done: what a stage does is settled by its own number.
LayerAnswer run_exact_by_whole_model(const LayerSearch& layer, const SearchBudget& budget) {
  LayerAnswer out = run_sunstone_by_whole_model(layer, share::kFastByWholeModel.of(budget));
  if (out.complete && !out.found) return out;
  const auto advance_stage = [&](const SearchBudget& left, const SearchBudget& stage) {
    LayerAnswer next = run_whole_model_stage(layer, out, left, stage);
    next.statistics.follow(out.statistics);
    out = std::move(next);
  };
  if (!budget.limits_evaluations()) {
    advance_stage(budget, budget);
    return out;
  }
  for (u64 stage = share::kWholeModelStages.first;; stage *= share::kWholeModelStages.growth) {
    const u64 before = out.statistics.evaluated;
    const SearchBudget left = budget.after(before);
    if (left.end(0) != SearchEnd::Done) break;
    advance_stage(left, left.with_evaluations(stage));
    const bool done = out.by_whole_model && out.by_whole_model->complete;
    if (done || !left.allows(stage) || out.statistics.evaluated == before) break;
  }
  return out;
}

// Strategies that only need values get them with links. The others answer without, and sunstone climbs from scratch.
LayerAnswer run_other_by_whole_model(const LayerSearch& layer, const SearchBudget& budget) {
  const LayerProblem& problem = layer.problem();
  const Strategy strategy = problem.options.strategy;
  if (strategy == Strategy::Sunstone) return run_sunstone_by_whole_model(layer, budget);
  const bool prices = info(strategy).values || strategy == Strategy::DMazeRunner || strategy == Strategy::Interstellar;
  auto other = std::make_unique<LayerProblem>(prices ? problem.by_whole_model() : problem);
  other->options.progress = problem.options.progress;
  other->whole_model.reset();
  LayerAnswer out = LayerSearch(std::move(other)).search(budget);
  if (!prices || !out.found || out.evaluator) return out;
  // What the answer is without links.
  LayerAnswer linked = out;
  out.complete = false;
  out.lower_bound.reset();
  out.cost = problem.model.evaluate(out.mapping, problem.counts()).cost;
  out.value = Value::of(problem.options.objective, out.cost);
  out.by_whole_model = std::make_shared<const LayerAnswer>(std::move(linked));
  return out;
}

// What was proven of `out` is proven of mappings without links alone.
void conclude_by_whole_model(const LayerProblem& problem, const LayerAnswer& best, MappingResult& out) {
  const Objective objective = problem.options.objective;
  out.without_peers = WithoutPeers{out.status, out.value, out.lower_bound};
  const LayerAnswer* const linked = best.by_whole_model.get();
  if (linked != nullptr) out.mapping = linked->mapping;
  out.cost = problem.whole_model->evaluate(out.mapping, problem.counts()).cost;
  for (const Mapping& other : best.alternatives) {
    const Cost cost = problem.whole_model->evaluate(other, problem.counts()).cost;
    if (Value::of(objective, cost) < Value::of(objective, out.cost)) out.mapping = other, out.cost = cost;
  }
  out.utilization = problem.utilization(out.cost.cycles);
  out.value = objective_number(objective, out.cost);
  double least = objective_number(objective, compulsory_cost(*problem.whole_model, problem.keep_range()).whole);
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
  const SearchOptions& options = problem.options;
  const bool given_up = linked != nullptr && linked->end == SearchEnd::Evaluations && !options.budget_evaluations;
  std::string_view why = "which were not searched";
  if (given_up) why = "with which the search was given up; with a --budget it goes on";
  else if (linked != nullptr && out.value > out.without_peers->value) why = "with which it costs more";
  else if (linked != nullptr) why = "with which the search was not completed";
  const std::string without = fmt::format("{} without link transfers, {}", name(out.without_peers->status), why);
  if (linked != nullptr && !given_up && out.end == SearchEnd::Done) out.end = linked->end;
  const std::string end = explain(out.end, problem);
  out.why_not_proven = end.empty() ? without : fmt::format("{}; {}", without, end);
}

}  // namespace heliolite

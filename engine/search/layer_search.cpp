#include "engine/search/layer_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/base/integers.h"
#include "engine/model/mapping_check.h"
#include "engine/model/tile_box.h"
#include "engine/search/baseline/exhaustive.h"
#include "engine/search/baseline/random_search.h"
#include "engine/search/core/gate.h"
#include "engine/search/exact/exact.h"
#include "engine/search/imperfect/imperfect_bound.h"
#include "engine/search/imperfect/imperfect_look.h"
#include "engine/search/imperfect/imperfect_search.h"
#include "engine/search/sunstone/sunstone.h"

namespace heliolite {
namespace {

// Evaluations. Climbs may use what they need; kicks get what is left of the usual number, and no fewer than the least.
constexpr u64 kClimbBudget = 60'000, kUsual = 7'000, kLeastOfKicks = 1'000;
constexpr int kKicks = 100;
constexpr std::size_t kClimbs = 3;  // best candidates of the level-by-level search that are climbed from

OrderOptions order_options(const RuleSet& rules, const Mapspace& space, const LevelSpace& level) {
  OrderOptions out;
  out.loops = space.non_unit;
  const auto innermost = level.temporal.order.dimensions();
  out.innermost.assign(innermost.begin(), innermost.end());
  out.rule = {rules[Rule::OrderPrefix], rules[Rule::OrderRun], rules[Rule::OrderDominance]};
  return out;
}

Candidate everything_outermost(const Mapspace& space, const KeepMasks& keep) {
  Candidate out;
  out.plan.keep = keep;
  for (int d = 0; d < space.dimension_count; ++d)
    out.plan.factor[loop_place_of(LoopKind::Temporal, space.level_count() - 1)][d] =
        static_cast<u32>(space.size[at(d)]);
  return out;
}

// Why the search could not meet the witness of its options; empty if there is none or it could.
Diagnostics witness_complaints(const LayerProblem& problem) {
  if (!problem.options.witness) return {};
  const Mapping& witness = *problem.options.witness;
  const auto complaint = [](std::string what) { return Diagnostic{"", 0, "witness", std::move(what)}; };
  if (problem.options.strategy != Strategy::Exact || problem.options.imperfect)
    return {complaint("only strategy exact follows one, and only with perfect factors")};
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

}  // namespace

LayerSearch::LayerSearch(std::unique_ptr<LayerProblem> problem) : problem_(std::move(problem)) {
  list_orders();
  list_keep_choices();
}

Result<LayerSearch> LayerSearch::create(const Workload& workload, const Architecture& architecture,
                                        const SearchOptions& options) {
  auto space = resolve(workload, architecture, {options.free});
  if (!space) return space.errors();
  std::unique_ptr<LayerProblem> problem(
      new LayerProblem{workload, architecture, options, *std::move(space), CostModel(workload, architecture)});
  if (Diagnostics errors = witness_complaints(*problem); !errors.empty()) return errors;
  return LayerSearch(std::move(problem));
}

void LayerSearch::list_orders() {
  const ReuseTable reuse = infer_reuse(problem_->workload, UnitDimensions::Skip);
  for (const LevelSpace& level : problem_->space.levels) {
    const OrderTrie trie = build_order_trie(reuse, order_options(problem_->options.rules, problem_->space, level));
    for (std::size_t r = 0; r < kOrderRules; ++r) order_counts_.cuts[r] += trie.cuts[r];
    orders_.push_back(trie.kept);
    if (orders_.back().empty()) orders_.back().emplace_back();  // no dimension above 1: the empty nest
  }
}

void LayerSearch::list_keep_choices() {
  keep_ = problem_->keep_choices(kMaxKeepChoices);
  if (!keep_.empty()) return;
  // Too many to try: one start per tensor that comes first where not all have room, and one with nothing kept that
  // need not be; the climbs flip the rest.
  const KeepRange range = problem_->keep_range();
  for (int first = 0; first < problem_->space.tensor_count; ++first) {
    const auto keep = with_room(range.may, first);
    if (std::find(keep_.begin(), keep_.end(), keep) == keep_.end()) keep_.push_back(keep);
  }
  keep_.push_back(range.must);
}

// Drops open tensors, `first` last, from levels that cannot hold a word of each.
KeepMasks LayerSearch::with_room(KeepMasks keep, int first) const {
  const Mapspace& space = problem_->space;
  for (int i = 0; i < space.level_count(); ++i) {
    const auto capacity = problem_->architecture.levels[at(i)].capacity_words();
    if (!capacity) continue;
    const TensorMask open = space.levels[at(i)].open;
    for (int k = 1; k <= space.tensor_count; ++k) {
      const int v = (first + k) % space.tensor_count;
      if (static_cast<u64>(std::popcount(keep[i])) <= *capacity) break;
      if (contains(open, v)) keep[i] &= static_cast<TensorMask>(~(1u << v));
    }
  }
  return keep;
}

LayerAnswer LayerSearch::search(const SearchBudget& budget) const {
  LayerAnswer answer;
  switch (problem_->options.strategy) {
    case Strategy::Exact: {
      const LayerAnswer start = search_sunstone(budget.half());
      return exact_search(*problem_, start, budget.after(start.statistics.evaluated));
    }
    case Strategy::Sunstone: answer = search_sunstone(budget); break;
    case Strategy::Random: answer = random_search(*problem_, budget); break;
    case Strategy::Exhaustive: answer = exhaustive_search(*problem_, budget); break;
  }
  answer.end = budget.end(answer.statistics.evaluated);
  return answer;
}

std::unique_ptr<Ladder> LayerSearch::make_ladder(const SearchBudget& budget) const {
  const SearchOptions& options = problem_->options;
  return std::make_unique<Ladder>(problem_->workload, problem_->architecture, problem_->space, orders_,
                                  options.objective, keep_.front(), budget);
}

LayerAnswer LayerSearch::search_sunstone(const SearchBudget& budget) const {
  const Mapspace& space = problem_->space;
  const SearchOptions& options = problem_->options;
  const std::unique_ptr<Ladder> made = make_ladder(budget);
  Ladder& ladder = *made;
  LayerAnswer answer;
  // Step 1. Level by level, for each keep choice.
  std::vector<Candidate> best;
  const auto sort = [&best] {
    std::sort(best.begin(), best.end(), [](const Candidate& a, const Candidate& b) { return a.better_than(b); });
  };
  for (const auto& keep : keep_) {
    if (ladder.stopped() && !best.empty()) break;
    ladder.set_keep(keep);
    Sunstone search(ladder, options.rules);
    search.complete(search.begin());
    answer.statistics.rules += search.rules();
    best.insert(best.end(), search.best().begin(), search.best().end());
  }
  sort();
  // Step 2. What it fixed too early.
  if (!best.empty() && options.rules[Rule::Refine]) {
    const MoveSpace moves(space);
    for (std::size_t k = 0; k < std::min(kClimbs, best.size()); ++k) {
      best[k] = climb(ladder, moves, best[k], kClimbBudget);
      Gate(options.rules, answer.statistics.rules).pruned(Rule::Refine, 1);
    }
    sort();
    const u64 left = kUsual - std::min(kUsual, ladder.evaluated());
    best.front() = kick_and_climb(ladder, moves, best.front(), kKicks, std::max(left, kLeastOfKicks));
  }
  // An interrupted search may not have completed anything; with everything at the outermost level there is still an
  // answer.
  for (std::size_t k = 0; k < keep_.size() && best.empty(); ++k) {
    Candidate plain = everything_outermost(space, keep_[k]);
    const Extents none = unit_extents();
    plain.score = ladder.score(plain.plan, ladder.levels() - 1, none);
    const MoveSpace moves(space);
    bool legal = plain.score.fits;
    for (int d = 0; d < space.dimension_count; ++d) legal &= moves.legal(plain.plan, d);
    if (legal) best.push_back(plain);
  }
  answer.statistics.evaluated = ladder.evaluated();
  answer.statistics.tiles = ladder.tiles();
  if (!best.empty()) answer.offer(options.objective, ladder.mapping(best.front().plan), best.front().score.cost);
  return answer;
}

bool LayerSearch::has_second_step() const {
  const SearchOptions& options = problem_->options;
  return options.imperfect && climbs_to_imperfect(options.strategy);
}

LayerAnswer LayerSearch::second_step(const LayerAnswer& perfect, const SearchBudget& budget) const {
  LayerAnswer start;
  if (perfect.found) start.offer(problem_->options.objective, perfect.mapping, perfect.cost);
  LayerAnswer out = imperfect_search(*problem_, start, budget);
  out.end = budget.end(out.statistics.evaluated);
  if (out.end == SearchEnd::Done && not_searched(perfect.end)) out.end = perfect.end;
  out.statistics += perfect.statistics;
  return out;
}

std::optional<ImperfectLook> LayerSearch::look(const LayerAnswer& perfect) const {
  const SearchOptions& options = problem_->options;
  if (!options.look_at_imperfect || options.imperfect) return std::nullopt;
  return look_at_imperfect(*problem_, perfect);
}

MappingResult LayerSearch::conclude(const LayerAnswer& best, double bound) const {
  const Objective objective = problem_->options.objective;
  MappingResult out;
  out.strategy = not_searched(best.end) ? Strategy::Sunstone : problem_->options.strategy;
  out.statistics = best.statistics;
  out.statistics.rules += order_counts_;
  out.witness = best.witness;
  if (!best.found) {
    const bool limited = problem_->options.budget_seconds || problem_->options.budget_evaluations;
    if (limited && !best.complete) out.why_infeasible.push_back({"", 0, "", "no mapping was found within the budget"});
    else out.why_infeasible = why_infeasible();
    return out;
  }
  out.mapping = best.mapping;
  out.cost = best.cost;
  out.utilization = static_cast<double>(problem_->model.compiled().macs) /
                    static_cast<double>(problem_->architecture.compute.instances) /
                    static_cast<double>(out.cost.cycles);
  out.value = objective_number(objective, out.cost);
  out.lower_bound = bound;
  if (best.lower_bound) out.lower_bound = std::max(out.lower_bound, *best.lower_bound);
  if (best.complete) out.lower_bound = out.value;
  out.gap = out.lower_bound > 0 ? out.value / out.lower_bound - 1 : 0;
  out.status = out.value <= out.lower_bound ? Status::Optimal : Status::Bounded;
  if (out.status == Status::Optimal) return out;
  out.end = best.end;
  out.why_not_proven = explain(best.end, *problem_);
  return out;
}

double LayerSearch::first_bound() const {
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
  Diagnostics out = problem_->options.imperfect ? Diagnostics{} : perfect_factor_conflicts(space);
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

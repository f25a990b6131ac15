#include "engine/search/sunstone/strategies.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/rules.h"
#include "engine/search/sunstone/greedy_starts.h"
#include "engine/search/sunstone/refine.h"
#include "engine/search/sunstone/sunstone.h"
#include "engine/search/sunstone/thesis_search.h"

namespace heliolite {

namespace {

OrderOptions order_options(const RuleSet& rules, const Mapspace& space, const LevelSpace& level) {
  OrderOptions out;
  out.loops = space.non_unit;
  const auto innermost = level.temporal.order.dimensions();
  out.innermost.assign(innermost.begin(), innermost.end());
  out.rule = {rules[Rule::OrderPrefix], rules[Rule::OrderRun], rules[Rule::OrderDominance]};
  return out;
}

}  // namespace

LevelProblem::LevelProblem(const LayerProblem& problem) : problem_(&problem) {
  list_orders();
  list_keep_choices();
}

void LevelProblem::list_orders() {
  const ReuseTable reuse = infer_reuse(problem_->workload, UnitDimensions::Skip);
  for (const LevelSpace& level : problem_->space.levels) {
    const OrderTrie trie = build_order_trie(reuse, order_options(problem_->options.rules, problem_->space, level));
    for (std::size_t r = 0; r < kOrderRules; ++r) order_counts_.cuts[r] += trie.cuts[r];
    orders_.push_back(trie.kept);
    if (orders_.back().empty()) orders_.back().emplace_back();  // no dimension above 1: the empty nest
  }
}

void LevelProblem::list_keep_choices() {
  keep_ = problem_->keep_choices(kMaxKeepChoices);
  if (!keep_.empty()) return;
  // Too many to try: one start per tensor that comes first where not all have room; one per way to deal the tensors to
  // the levels in turn, a tensor each, as machines with buffers of their own for each do; and one with nothing kept
  // that need not be. The climbs flip the rest.
  const KeepRange range = problem_->keep_range();
  const auto add = [&](const KeepMasks& keep) {
    if (std::find(keep_.begin(), keep_.end(), keep) == keep_.end()) keep_.push_back(keep);
  };
  for (int first = 0; first < problem_->space.tensor_count; ++first) add(with_room(range.may, first));
  for (int first = 0; first < problem_->space.tensor_count; ++first) add(with_room(dealt(range, first), first));
  add(range.must);
}

// One of the open tensors for each level, in turn, beginning with `first`; the outermost level that has open tensors
// keeps all.
KeepMasks LevelProblem::dealt(const KeepRange& range, int first) const {
  const Mapspace& space = problem_->space;
  KeepMasks keep = range.must;
  int outermost = -1;
  for (int i = 0; i < space.level_count(); ++i)
    if (space.levels[i].open != 0) outermost = i;
  int v = first;
  for (int i = 0; i <= outermost; ++i) {
    const TensorMask open = space.levels[i].open;
    if (i == outermost) keep[i] = range.may[i];
    if (i == outermost || open == 0) continue;
    while (!contains(open, v)) v = (v + 1) % space.tensor_count;
    keep[i] |= static_cast<TensorMask>(1u << v);
    v = (v + 1) % space.tensor_count;
  }
  return keep;
}

// Drops open tensors, `first` last, from levels that cannot hold a word of each.
KeepMasks LevelProblem::with_room(KeepMasks keep, int first) const {
  const Mapspace& space = problem_->space;
  for (int i = 0; i < space.level_count(); ++i) {
    const CompiledLevel& machine = problem_->model.compiled().level[i];
    if (machine.room == CompiledLevel::kUnbounded) continue;
    const TensorMask open = space.levels[i].open;
    for (int k = 1; k <= space.tensor_count; ++k) {
      const int v = (first + k) % space.tensor_count;
      u64 used = 0;
      for (const int kept : bits(keep[i])) used += machine.taken(kept, 1);
      if (used <= machine.room) break;
      if (contains(open, v)) keep[i] &= static_cast<TensorMask>(~(1u << v));
    }
  }
  return keep;
}

std::unique_ptr<Ladder> LevelProblem::make_ladder(const SearchBudget& budget) const {
  const SearchOptions& options = problem_->options;
  return std::make_unique<Ladder>(problem_->model, problem_->space, orders_, options.objective, keep_.front(), budget);
}

namespace {

// Whether `outer` and what is inside it down to the level `first`, which hold `held` together, are buffers side by side
// for tensors of their own: one split level with one tile, whose loops stand at `first`.
bool side_by_side(const LevelSpace& first, TensorMask held, const LevelSpace& outer) {
  if ((held & (outer.keep | outer.open)) != 0 || (outer.temporal.allowed & ~first.temporal.allowed) != 0) return false;
  const FactorLimits& limits = outer.temporal.factor;
  return std::all_of(limits.begin(), limits.end(), [](const FactorLimit& f) { return f.min <= 1; });
}

}  // namespace

std::vector<ChainStep> level_chain(const Mapspace& space) {
  std::vector<ChainStep> out;
  TensorMask held = 0;  // by the levels of the last step
  for (int i = 0; i < space.level_count(); ++i) {
    const LevelSpace& level = space.levels[i];
    if (level.spatial.exists()) {
      if (out.empty() || out.back().fanout >= 0) out.emplace_back();
      out.back().fanout = i;
    }
    const bool outermost = i + 1 == space.level_count();
    if (level.temporal.allowed == 0 && !outermost) continue;
    const bool open = !out.empty() && out.back().level >= 0 && out.back().fanout < 0;
    const bool joins = open && !outermost && side_by_side(space.levels[out.back().level], held, level);
    if (!joins) out.push_back({.level = i});
    held = static_cast<TensorMask>((joins ? held : 0) | level.keep | level.open);
  }
  // The step before a fan-out without loops inside it is priced by the level right inside that fan-out.
  for (std::size_t k = 0; k + 1 < out.size(); ++k)
    out[k].outer = out[k + 1].level >= 0 ? out[k + 1].level : out[k + 1].fanout - 1;
  return out;
}

namespace {

constexpr u64 kClimbBudget = 60'000;  // evaluations: climbs may use what they need
constexpr int kKicks = 100;
constexpr std::size_t kGreedyStarts = 8;   // plans of greedy_starts.h that are priced
constexpr u64 kFromStart = 1'000;          // evaluations of the steps up from the best of them
constexpr double kNearCompulsory = 1.005;  // times what every mapping costs: below that nothing is worth looking for
constexpr u64 kMostKeepChoices = 1 << 16;  // that the thesis' strategy tries one by one
constexpr u64 kThesis = 3'000;             // evaluations of the thesis' search, over all keep choices

// Everything at the outermost level, for a search that was interrupted before it completed anything; none if that is
// not legal.
std::optional<Candidate> everything_outermost(const LevelProblem& levels, Ladder& ladder) {
  const Mapspace& space = levels.problem().space;
  const MoveSpace moves(space, Ends::Dividing);
  for (const KeepMasks& keep : levels.keep_choices()) {
    Candidate out;
    out.plan.keep = keep;
    for (std::size_t d = 0; d < space.dimension_count; ++d)
      out.plan.factor[loop_place_of(LoopKind::Temporal, ladder.levels() - 1)][d] = static_cast<u32>(space.size[d]);
    const Extents none = unit_extents();
    out.score = ladder.score(out.plan, ladder.levels() - 1, none);
    if (out.score.fits && moves.legal(out.plan.factor)) return out;
  }
  return std::nullopt;
}

LayerAnswer answer_of(const LevelProblem& levels, Ladder& ladder, std::optional<Candidate> best,
                      const RuleCounts& rules) {
  if (!best) best = everything_outermost(levels, ladder);
  LayerAnswer answer;
  answer.statistics = {ladder.evaluated(), ladder.tiles(), rules, {}};
  if (best) answer.offer(ladder.objective(), ladder.mapping(best->plan), best->score.cost);
  return answer;
}

void best_first(std::vector<Candidate>& list) {
  std::sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) { return a.better_than(b); });
}

// Sunstone's starts and climbs.
class SunstoneRun {
 public:
  // `few`: the mappings that may be priced are counted, and the first start climbs to the end.
  SunstoneRun(const LevelProblem& levels, Ladder& ladder, const ClimbEffort& effort, bool few)
      : levels_(levels),
        options_(levels.problem().options),
        effort_(effort),
        few_(few),
        ladder_(ladder),
        fillings_(ladder.space(), ladder.model().workload()),
        steps_(ladder, fillings_) {}

  LayerAnswer run() {
    starts();
    beam();
    climbs();
    if (!near_the_least()) thesis(), kicks();
    return answer_of(levels_, ladder_, best_.empty() ? std::nullopt : std::optional(best_.front()), rules_);
  }

 private:
  bool refines() const { return !best_.empty() && options_.rules[Rule::Refine]; }

  bool near_the_least() const {
    if (best_.empty() || !options_.rules[Rule::AlphaBeta]) return false;
    const LayerProblem& problem = levels_.problem();
    const Cost least = compulsory_cost(problem.model, problem.keep_range()).whole;
    return objective_number(options_.objective, best_.front().score.cost) <=
           kNearCompulsory * objective_number(options_.objective, least);
  }

  // Step 0. Complete plans at once; from the best of them a few steps up. However few mappings it may price, the first
  // plan that fits is priced, so that a larger budget has it as well.
  void starts() {
    const int top = ladder_.levels() - 1;
    const Extents none = unit_extents();
    GreedyStarts greedy(ladder_, options_.rules, fillings_);
    std::optional<Candidate> best;
    for (const Plan& plan : greedy.list(levels_.keep_choices(), kGreedyStarts)) {
      if (best && ladder_.stopped()) break;
      const Candidate candidate{plan, ladder_.score(plan, top, none)};
      if (candidate.score.fits && (!best || candidate.better_than(*best))) best = candidate;
    }
    if (!best) return;
    if (options_.rules[Rule::Refine]) *best = first_steps(ladder_, steps_, *best, kFromStart);
    // A beam takes thousands of evaluations before it completes anything better.
    if (few_ && options_.rules[Rule::Refine]) *best = climb(ladder_, steps_, *best, kFromStart);
    best_.push_back(*best);
  }

  // Step 1. The growing beam, for each keep choice.
  void beam() {
    const bool from_nothing = best_.empty();
    for (const KeepMasks& keep : levels_.keep_choices()) {
      if (ladder_.stopped() && !best_.empty()) break;
      ladder_.set_keep(keep);
      Sunstone search(ladder_, options_.rules, fillings_, from_nothing);
      search.complete(search.begin());
      rules_ += search.rules();
      best_.insert(best_.end(), search.best().begin(), search.best().end());
    }
    best_first(best_);
  }

  // Step 2. What it fixed too early.
  void climbs() {
    if (!refines()) return;
    for (std::size_t k = 0; k < std::min(effort_.first_steps, best_.size()); ++k)
      best_[k] = first_steps(ladder_, steps_, best_[k], kClimbBudget);
    best_first(best_);
    const auto same = [](const Candidate& a, const Candidate& b) { return a.plan == b.plan; };
    best_.erase(std::unique(best_.begin(), best_.end(), same), best_.end());
    for (std::size_t k = 0; k < std::min(effort_.climbs, best_.size()); ++k) climb_from(k);
    best_first(best_);
  }
  void climb_from(std::size_t k) {
    best_[k] = climb(ladder_, steps_, best_[k], kClimbBudget);
    Gate(options_.rules, rules_).pruned(Rule::Refine, 1);
  }

  // Step 3. The thesis' search, which needs only look at what can beat the best so far; and what it fixed too early.
  void thesis() {
    std::optional<Candidate> found;
    if (!best_.empty()) found = best_.front();
    for (const KeepMasks& keep : levels_.keep_choices()) {
      if (ladder_.stopped()) break;
      ladder_.set_keep(keep);
      ThesisSearch search(ladder_, options_.rules, options_.memory_bytes, kThesis / levels_.keep_choices().size());
      search.run(found);
      rules_ += search.rules();
    }
    if (!found || (!best_.empty() && !found->better_than(best_.front()))) return;
    best_.insert(best_.begin(), *found);
    if (effort_.from_thesis && refines()) climb_from(0);
  }

  // Step 4. Disturbances of the best, with what is left.
  void kicks() {
    const u64 left = std::max(effort_.least_kicks, effort_.kicks - std::min(effort_.kicks, ladder_.evaluated()));
    if (left != 0 && refines()) best_.front() = kick_and_climb(ladder_, steps_, best_.front(), kKicks, left);
  }

  const LevelProblem& levels_;
  const SearchOptions& options_;
  const ClimbEffort effort_;
  const bool few_;
  Ladder& ladder_;
  Fillings fillings_;
  ClimbSteps steps_;
  std::vector<Candidate> best_;  // best first
  RuleCounts rules_;
};

}  // namespace

LayerAnswer sunstone_search(const LevelProblem& levels, const SearchBudget& budget, const ClimbEffort& effort) {
  const auto run = [&](const SearchBudget& part) {
    const std::unique_ptr<Ladder> ladder = levels.make_ladder(part);
    return SunstoneRun(levels, *ladder, effort, budget.limits_evaluations() && effort.first_to_end).run();
  };
  LayerAnswer out = run(budget);
  if (out.found || !budget.limits_evaluations() || !budget.allows(1)) return out;
  // What is completed when there are no evaluations left need not be among what more of them lead to.
  LayerAnswer least = run(budget.at_most(0));
  least.statistics += out.statistics;
  return least;
}

std::vector<Mapping> greedy_mappings(const LevelProblem& levels, std::size_t most) {
  const SearchOptions& options = levels.problem().options;
  const std::unique_ptr<Ladder> ladder = levels.make_ladder(SearchBudget(options));
  Fillings fillings(ladder->space(), ladder->model().workload());
  return mapped(GreedyStarts(*ladder, options.rules, fillings).list(levels.keep_choices(), most),
                [&](const Plan& plan) { return ladder->mapping(plan); });
}

LayerAnswer thesis_search(const LevelProblem& levels, const SearchBudget& budget) {
  const SearchOptions& options = levels.problem().options;
  const std::unique_ptr<Ladder> ladder = levels.make_ladder(budget);
  std::vector<KeepMasks> choices = levels.problem().keep_choices(kMostKeepChoices);
  if (choices.empty()) choices = levels.keep_choices();
  RuleCounts rules;
  bool forgot = false;
  std::optional<Candidate> best;
  for (std::size_t k = 0; k < choices.size(); ++k) {
    if (ladder->stopped() && (best || k == LevelProblem::kMaxKeepChoices)) break;
    ladder->set_keep(choices[k]);
    ThesisSearch search(*ladder, options.rules, options.memory_bytes);
    search.run(best);
    rules += search.rules();
    forgot |= search.forgot();
  }
  LayerAnswer answer = answer_of(levels, *ladder, best, rules);
  if (forgot) answer.end = SearchEnd::Memory;
  return answer;
}

}  // namespace heliolite

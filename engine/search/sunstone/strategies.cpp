#include "engine/search/sunstone/strategies.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/rules.h"
#include "engine/search/sunstone/greedy_starts.h"
#include "engine/search/sunstone/refine.h"
#include "engine/search/sunstone/sunstone.h"
#include "engine/search/sunstone/thesis_search.h"

namespace heliolite {
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
  std::vector<Mapping> out;
  for (const Plan& plan : GreedyStarts(*ladder, options.rules, fillings).list(levels.keep_choices(), most))
    out.push_back(ladder->mapping(plan));
  return out;
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

#include "engine/search/sunstone/strategies.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/core/gate.h"
#include "engine/search/core/limits.h"
#include "engine/search/sunstone/refine.h"
#include "engine/search/sunstone/sunstone.h"
#include "engine/search/sunstone/thesis_search.h"

namespace heliolite {
namespace {

// Evaluations. Climbs may use what they need; kicks get what is left of the usual number, and no fewer than the least.
constexpr u64 kClimbBudget = 60'000, kUsual = 7'000, kLeastOfKicks = 1'000;
constexpr int kKicks = 100;
constexpr std::size_t kClimbs = 3;  // best candidates of the level-by-level search that are climbed from

// Everything at the outermost level, for a search that was interrupted before it completed anything; none if that is
// not legal.
std::optional<Candidate> everything_outermost(const LevelProblem& levels, Ladder& ladder) {
  const Mapspace& space = levels.problem().space;
  const MoveSpace moves(space);
  for (const KeepMasks& keep : levels.keep_choices()) {
    Candidate out;
    out.plan.keep = keep;
    bool legal = true;
    for (int d = 0; d < space.dimension_count; ++d) {
      out.plan.factor[at(loop_place_of(LoopKind::Temporal, ladder.levels() - 1))][at(d)] =
          static_cast<u32>(space.size[at(d)]);
      legal &= moves.legal(out.plan, d);
    }
    const Extents none = unit_extents();
    out.score = ladder.score(out.plan, ladder.levels() - 1, none);
    if (legal && out.score.fits) return out;
  }
  return std::nullopt;
}

LayerAnswer answer_of(const LevelProblem& levels, Ladder& ladder, std::optional<Candidate> best,
                      const RuleCounts& rules) {
  if (!best) best = everything_outermost(levels, ladder);
  LayerAnswer answer;
  answer.statistics = {ladder.evaluated(), ladder.tiles(), rules};
  if (best) answer.offer(ladder.objective(), ladder.mapping(best->plan), best->score.cost);
  return answer;
}

}  // namespace

LayerAnswer sunstone_search(const LevelProblem& levels, const SearchBudget& budget) {
  const SearchOptions& options = levels.problem().options;
  const std::unique_ptr<Ladder> made = levels.make_ladder(budget);
  Ladder& ladder = *made;
  RuleCounts rules;
  // Step 1. Level by level, for each keep choice.
  std::vector<Candidate> best;
  const auto sort = [&best] {
    std::sort(best.begin(), best.end(), [](const Candidate& a, const Candidate& b) { return a.better_than(b); });
  };
  for (const auto& keep : levels.keep_choices()) {
    if (ladder.stopped() && !best.empty()) break;
    ladder.set_keep(keep);
    Sunstone search(ladder, options.rules);
    search.complete(search.begin());
    rules += search.rules();
    best.insert(best.end(), search.best().begin(), search.best().end());
  }
  sort();
  // Step 2. What it fixed too early.
  if (!best.empty() && options.rules[Rule::Refine]) {
    const MoveSpace moves(levels.problem().space);
    for (std::size_t k = 0; k < std::min(kClimbs, best.size()); ++k) {
      best[k] = climb(ladder, moves, best[k], kClimbBudget);
      Gate(options.rules, rules).pruned(Rule::Refine, 1);
    }
    sort();
    const u64 left = kUsual - std::min(kUsual, ladder.evaluated());
    best.front() = kick_and_climb(ladder, moves, best.front(), kKicks, std::max(left, kLeastOfKicks));
  }
  return answer_of(levels, ladder, best.empty() ? std::nullopt : std::optional(best.front()), rules);
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
  LayerAnswer answer = answer_of(levels, *ladder, std::move(best), rules);
  if (forgot) answer.end = SearchEnd::Memory;
  return answer;
}

}  // namespace heliolite

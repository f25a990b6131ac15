// Climbs over all tile sizes: starts, climbs, and climbs again from what was disturbed.
#include "engine/search/all_tiles/any_search.h"

#include <algorithm>
#include <array>
#include <random>

#include "engine/base/integers.h"
#include "engine/search/all_tiles/tile_plans.h"
#include "engine/search/core/parallel.h"
#include "engine/search/core/rules.h"

namespace heliolite {
namespace {

constexpr std::size_t kStarts = 8;  // unrollings climbed from
// Kicks of one round, all from the same best mapping: as many threads have work, and the answer does not depend on how
// many there are.
constexpr std::size_t kKicksOfARound = 8;

using TileCandidate = Scored<TilePlan>;

class TileClimbs {
 public:
  TileClimbs(const LayerProblem& problem, const LayerAnswer& known, const SearchBudget& budget, ClimbShares shares)
      : problem_(problem),
        known_(known),
        shares_(shares),
        plans_(problem.space, problem.options.rules[Rule::UsefulEnds]),
        budget_(budget.limited() ? budget : budget.at_most(kClimbEvaluations)) {}

  LayerAnswer run() {
    LayerAnswer answer;
    if (known_.found) answer.offer(problem_.options.objective, known_.mapping, known_.cost);
    starts();
    climb_starts();
    sort();
    if (!starts_.empty() && problem_.options.rules[Rule::Refine]) {
      TileCandidate& best = starts_.front();
      with_climb([&](TileClimbSpace& space) {
        Climb climb(space, best);
        climb.to_the_end();
        best = climb.best();
      });
      TileCandidate from = best;
      for (u64 round = 0; !over() && kicks(best, from, round); ++round) {
      }
    }
    if (!starts_.empty())
      answer.offer(problem_.options.objective, mapping(starts_.front()), starts_.front().score.cost);
    answer.statistics.evaluated = evaluated_;
    answer.statistics.rules = rules_;
    return answer;
  }

 private:
  void sort() {
    std::sort(starts_.begin(), starts_.end(), [&](const TileCandidate& a, const TileCandidate& b) {
      return a.score.value != b.score.value ? a.score.value < b.score.value : mapping(a) < mapping(b);
    });
  }

  Mapping mapping(const TileCandidate& candidate) const { return plans_.mapping(candidate.plan); }

  u64 evaluations_left() const { return budget_.evaluations_left(evaluated_); }
  bool over() const { return evaluations_left() == 0 || budget_.over(); }

  // On the calling thread, with all that is left of the budget.
  template <class Body>
  void with_climb(Body body) {
    TileClimbSpace space(problem_, plans_, budget_.at_most(evaluations_left()));
    body(space);
    evaluated_ += space.evaluated();
  }

  // body(k, space) for k < count, at the same time and with equal parts of the evaluations that are left; or in order.
  template <class Body>
  void at_once(std::size_t count, Body body) {
    if (shares_ == ClimbShares::InOrder) {
      for (std::size_t k = 0; k < count; ++k) with_climb([&](TileClimbSpace& space) { body(k, space); });
      return;
    }
    std::vector<TileClimbSpace> spaces;
    const u64 left = evaluations_left(), share = left / std::max<std::size_t>(1, count);
    for (std::size_t k = 0; k < count; ++k)
      spaces.emplace_back(problem_, plans_, budget_.at_most(share + (k < left % count ? 1 : 0)));
    parallel_for(count, problem_.options.threads, [&](std::size_t k) { body(k, spaces[k]); });
    for (const TileClimbSpace& space : spaces) evaluated_ += space.evaluated();
  }

  // Step 1.
  void starts() {
    with_climb([&](TileClimbSpace& space) { list_starts(space); });
  }
  void list_starts(TileClimbSpace& space) {
    TilePlan first;
    if (known_.found) first = plans_.plan(known_.mapping);
    else if (!plans_.smallest(first)) return;
    if (space.is_exhausted()) return;
    if (!known_.found && !problem_.space.uses_enough_units(plans_.mapping(first))) {
      const auto filled = enough_units(first, space);
      if (!filled) return;
      first = *filled;
    }
    const TileCandidate start{first, space.price(first)};
    if (!start.score.fits) return;
    starts_.push_back(start);
    if (problem_.options.rules[Rule::FillFanouts]) other_unrollings(start, space);
    sort();
    if (starts_.size() > kStarts) starts_.resize(kStarts);
    if (std::none_of(starts_.begin(), starts_.end(),
                     [&](const TileCandidate& p) { return mapping(p) == mapping(start); }))
      starts_.push_back(start);
  }

  // Each fan-out's axes cleared, then filled by one dimension each; what is gained or lost is made up for at the
  // outermost temporal place that takes it.
  void other_unrollings(const TileCandidate& start, TileClimbSpace& space) {
    for (int s = 0; s < moves_.place_count(); ++s) {
      if (kind_of(s) == LoopKind::Temporal || moves_.allowed(s) == 0) continue;
      TilePlan cleared = start.plan;
      if (!fill(cleared, s, -1)) continue;
      const int t = s + 1;  // the other axis of the same fan-out
      const bool two = kind_of(t) == LoopKind::SpatialY && moves_.allowed(t) != 0;
      for (const int d : bits(moves_.allowed(s))) {
        TilePlan one = cleared;
        if (!fill(one, s, d)) continue;
        offer(one, space);
        if (!two) continue;
        if (!fill(one, t, -1)) continue;
        for (const int k : bits(moves_.allowed(t))) {
          TilePlan both = one;
          if (fill(both, t, k)) offer(both, space);
        }
      }
    }
  }

  // The plan with its fan-outs filled, by one dimension after the other on each axis, until mappings use as many units
  // as they must and fit; none: no such plan was met.
  std::optional<TilePlan> enough_units(const TilePlan& plan, TileClimbSpace& space) const {
    constexpr u64 kTries = 20'000;
    u64 tries = 0;
    std::optional<TilePlan> found;
    const auto walk = [&](auto&& self, const TilePlan& now, int loop_place, int d) -> void {
      if (found || ++tries > kTries || space.is_exhausted()) return;
      if (loop_place == moves_.place_count()) {
        if (problem_.space.uses_enough_units(plans_.mapping(now)) && space.price(now).fits) found = now;
        return;
      }
      if (kind_of(loop_place) == LoopKind::Temporal || d == problem_.space.dimension_count)
        return self(self, now, loop_place + 1, 0);
      if (!contains(moves_.allowed(loop_place), d)) return self(self, now, loop_place, d + 1);
      std::vector<u32> ends;
      moves_.useful_ends(now.factor, d, loop_place, ends);
      for (std::size_t k = ends.size(); k-- > 0 && !found;) {  // large ones first
        TilePlan next = now;
        if (ends[k] == now.factor[loop_place][d] || set_outermost(next, d, loop_place, ends[k]))
          self(self, next, loop_place, d + 1);
      }
    };
    walk(walk, plan, 0, 0);
    return found;
  }

  void offer(const TilePlan& plan, TileClimbSpace& space) {
    if (space.is_exhausted()) return;
    TileCandidate priced{plan, space.price(plan)};
    const Gate gate(problem_.options.rules, rules_);
    if (gate.prunes(Rule::FillFanouts, [&] { return !priced.score.fits; })) return;
    priced.score = space.better_orders(priced.plan, priced.score);
    starts_.push_back(priced);
  }

  // Dimension d as large as it gets along the axis; d = -1: no dimension along it, as far as the machine allows.
  bool fill(TilePlan& plan, int loop_place, int d) const {
    const LevelSpace& level = problem_.space.levels[level_of(loop_place)];
    std::vector<u32> ends;
    for (const int k : bits(moves_.allowed(loop_place))) {
      if ((d >= 0 && k != d) || (d < 0 && level.spatial.factor[k].min > 1)) continue;
      u32 end = 1;
      if (d >= 0) {
        moves_.useful_ends(plan.factor, k, loop_place, ends);
        if (ends.empty()) return false;
        end = ends.back();
      }
      if (end != plan.factor[loop_place][k] && !set_outermost(plan, k, loop_place, end)) return false;
    }
    return true;
  }

  bool set_outermost(TilePlan& plan, int d, int loop_place, u32 end) const {
    const LoopColumn before = moves_.column(plan.factor, d);
    for (int q = moves_.place_count(); q-- > 0;) {
      if (kind_of(q) != LoopKind::Temporal || !contains(moves_.allowed(q), d)) continue;
      if (moves_.apply(plan.factor, {static_cast<u8>(d), static_cast<u8>(loop_place), static_cast<u8>(q), end}))
        return true;
      moves_.restore(plan.factor, d, before);
    }
    return false;
  }

  // Step 2.
  void climb_starts() {
    at_once(starts_.size(), [&](std::size_t k, TileClimbSpace& space) {
      Climb climb(space, starts_[k]);
      climb.first_steps();
      starts_[k] = climb.best();
    });
  }

  // Step 3, one round: all kicks start at `from`, which becomes where the next round starts. False: no kick leads
  // anywhere.
  bool kicks(TileCandidate& best, TileCandidate& from, u64 round) {
    std::array<std::optional<TileCandidate>, kKicksOfARound> found;
    at_once(kKicksOfARound, [&](std::size_t k, TileClimbSpace& space) {
      std::mt19937_64 random(kSeed + round * kKicksOfARound + k);
      const auto disturb = [&](TilePlan& plan) { return disturbed(plan, random); };
      found[k] = kick(space, from, best.score, problem_.options.objective, kKick, disturb);
    });
    const Mapping begin = mapping(from);
    const TileCandidate* least = nullptr;
    bool any = begin != mapping(best);
    for (const auto& local : found) {
      any |= local.has_value();
      if (local && (!least || local->score.value < least->score.value) && mapping(*local) != begin) least = &*local;
    }
    if (least && least->score.value < best.score.value) best = *least;
    from = least && round % kRoundsAway != 0 && close_to(*least, best) ? *least : best;
    problem_.report_progress(objective_number(problem_.options.objective, best.score.cost), 0);
    return any;
  }

  bool close_to(const TileCandidate& plan, const TileCandidate& best) const {
    const Objective objective = problem_.options.objective;
    return objective_number(objective, plan.score.cost) <= kClose * objective_number(objective, best.score.cost);
  }

  // A few moves drawn at random. False: one was not legal.
  bool disturbed(TilePlan& plan, std::mt19937_64& random) const {
    std::vector<Move> moves;
    for (u64 left = 1 + random() % kMovesOfAKick; left > 0; --left) {
      moves_.list(plan.factor, MoveReach::Far, moves);
      if (moves.empty() || !moves_.apply(plan.factor, moves[random() % moves.size()])) return false;
    }
    return true;
  }

  static constexpr u64 kSeed = 0x5eed'0f'1a9e;
  static constexpr int kMovesOfAKick = 3;
  // A round begins at the best other mapping that the one before found, if that is at most kClose times the best of
  // all; once in kRoundsAway rounds at the best of all.
  static constexpr double kClose = 1.03;
  static constexpr u64 kRoundsAway = 32;
  // Disturbances that are not legal cost no evaluation.
  static constexpr Kick kKick{.attempts = 1'000, .goes_to_the_end = 1};

  const LayerProblem& problem_;
  const LayerAnswer& known_;
  const ClimbShares shares_;
  const TilePlans plans_;
  const MoveSpace& moves_ = plans_.moves();
  const SearchBudget budget_;
  u64 evaluated_ = 0;
  std::vector<TileCandidate> starts_;
  RuleCounts rules_;
};

}  // namespace

LayerAnswer climb_tiles(const LayerProblem& problem, const LayerAnswer& known, const SearchBudget& budget,
                        ClimbShares shares) {
  return TileClimbs(problem, known, budget, shares).run();
}

}  // namespace heliolite

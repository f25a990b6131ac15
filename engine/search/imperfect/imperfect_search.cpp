#include "engine/search/imperfect/imperfect_search.h"

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "engine/base/integers.h"
#include "engine/search/core/parallel.h"
#include "engine/search/core/rules.h"
#include "engine/search/imperfect/imperfect_climb.h"

namespace heliolite {
namespace {

constexpr std::size_t kStarts = 8;  // unrollings climbed from
// Kicks of one round, all from the same best mapping: as many threads have work, and the answer does not depend on how
// many there are.
constexpr std::size_t kKicksOfARound = 8;

class ImperfectSearch {
 public:
  ImperfectSearch(const LayerProblem& problem, const LayerAnswer& perfect, const SearchBudget& budget,
                  ClimbShares shares)
      : problem_(problem),
        perfect_(perfect),
        shares_(shares),
        plans_(problem.space, problem.options.rules[Rule::UsefulEnds]),
        budget_(budget.limited() ? budget : budget.at_most(kImperfectEvaluations)) {}

  LayerAnswer run() {
    LayerAnswer answer;
    if (perfect_.found) answer.offer(problem_.options.objective, perfect_.mapping, perfect_.cost);
    starts();
    climb_starts();
    sort();
    if (!starts_.empty() && problem_.options.rules[Rule::Refine]) {
      PricedPlan& best = starts_.front();
      with_climb([&](ImperfectClimb& climb) { best = climb.climb(best, true); });
      PricedPlan from = best;
      for (u64 round = 0; !over() && kicks(best, from, round); ++round) {
      }
    }
    if (!starts_.empty()) answer.offer(problem_.options.objective, starts_.front().mapping, starts_.front().cost);
    answer.statistics.evaluated = evaluated_;
    answer.statistics.rules = rules_;
    return answer;
  }

 private:
  void sort() {
    std::sort(starts_.begin(), starts_.end(), [](const PricedPlan& a, const PricedPlan& b) {
      return a.value != b.value ? a.value < b.value : a.mapping < b.mapping;
    });
  }

  u64 evaluations_left() const { return budget_.evaluations_left(evaluated_); }
  bool over() const { return evaluations_left() == 0 || budget_.over(); }

  // On the calling thread, with all that is left of the budget.
  template <class Body>
  void with_climb(Body body) {
    ImperfectClimb climb(problem_, plans_, budget_.at_most(evaluations_left()));
    body(climb);
    evaluated_ += climb.evaluated();
  }

  // body(k, climb) for k < count, at the same time and with equal parts of the evaluations that are left; or in order.
  template <class Body>
  void at_once(std::size_t count, Body body) {
    if (shares_ == ClimbShares::InOrder) {
      for (std::size_t k = 0; k < count; ++k) with_climb([&](ImperfectClimb& climb) { body(k, climb); });
      return;
    }
    std::vector<ImperfectClimb> climbs;
    const u64 left = evaluations_left(), share = left / std::max<std::size_t>(1, count);
    for (std::size_t k = 0; k < count; ++k)
      climbs.emplace_back(problem_, plans_, budget_.at_most(share + (k < left % count ? 1 : 0)));
    parallel_for(count, problem_.options.threads, [&](std::size_t k) { body(k, climbs[k]); });
    for (const ImperfectClimb& climb : climbs) evaluated_ += climb.evaluated();
  }

  // Step 1.
  void starts() {
    with_climb([&](ImperfectClimb& climb) { list_starts(climb); });
  }
  void list_starts(ImperfectClimb& climb) {
    ImperfectPlan first;
    if (perfect_.found) {
      first = plans_.plan(perfect_.mapping);
    } else if (!plans_.smallest(first)) {
      return;
    }
    if (climb.spent()) return;
    if (!perfect_.found && !problem_.space.uses_enough_units(plans_.mapping(first))) {
      const auto filled = enough_units(first, climb);
      if (!filled) return;
      first = *filled;
    }
    PricedPlan start = climb.price(first);
    if (!start.fits) return;
    starts_.push_back(start);
    if (problem_.options.rules[Rule::FillFanouts]) other_unrollings(start, climb);
    sort();
    if (starts_.size() > kStarts) starts_.resize(kStarts);
    if (std::none_of(starts_.begin(), starts_.end(), [&](const PricedPlan& p) { return p.mapping == start.mapping; }))
      starts_.push_back(start);
  }

  // Each fan-out's axes cleared, then filled by one dimension each; what is gained or lost is made up for at the
  // outermost temporal place that takes it.
  void other_unrollings(const PricedPlan& start, ImperfectClimb& climb) {
    const auto& loop_places = plans_.loop_places();
    for (int s = 0; s < static_cast<int>(loop_places.size()); ++s) {
      if (loop_places[at(s)].kind == LoopKind::Temporal) continue;
      ImperfectPlan cleared = start.plan;
      if (!fill(cleared, s, -1)) continue;
      int t = s + 1;  // the other axis of the same fan-out
      const bool two = t < static_cast<int>(loop_places.size()) && loop_places[at(t)].place == loop_places[at(s)].place;
      for (int d = 0; d < plans_.space().dimension_count; ++d) {
        ImperfectPlan one = cleared;
        if (!contains(loop_places[at(s)].allowed, d) || !fill(one, s, d)) continue;
        offer(one, climb);
        if (!two) continue;
        if (!fill(one, t, -1)) continue;
        for (int k = 0; k < plans_.space().dimension_count; ++k) {
          ImperfectPlan both = one;
          if (contains(loop_places[at(t)].allowed, k) && fill(both, t, k)) offer(both, climb);
        }
      }
    }
  }

  // The plan with its fan-outs filled, by one dimension after the other on each axis, until mappings use as many units
  // as they must and fit; none: no such plan was met.
  std::optional<ImperfectPlan> enough_units(const ImperfectPlan& plan, ImperfectClimb& climb) const {
    constexpr u64 kTries = 20'000;
    u64 tries = 0;
    std::optional<ImperfectPlan> found;
    const auto& loop_places = plans_.loop_places();
    const auto walk = [&](auto&& self, const ImperfectPlan& now, int loop_place, int d) -> void {
      if (found || ++tries > kTries || climb.spent()) return;
      if (loop_place == static_cast<int>(loop_places.size())) {
        if (problem_.space.uses_enough_units(plans_.mapping(now)) && climb.price(now).fits) found = now;
        return;
      }
      const LoopPlace& here = loop_places[at(loop_place)];
      if (here.kind == LoopKind::Temporal || d == plans_.space().dimension_count)
        return self(self, now, loop_place + 1, 0);
      if (!contains(here.allowed, d)) return self(self, now, loop_place, d + 1);
      std::vector<u32> ends;
      plans_.useful_ends(now, d, loop_place, ends);
      for (std::size_t k = ends.size(); k-- > 0 && !found;) {  // large ones first
        ImperfectPlan next = now;
        if (ends[k] == plans_.end_at(now, loop_place, d) || set_outermost(next, d, loop_place, ends[k]))
          self(self, next, loop_place, d + 1);
      }
    };
    walk(walk, plan, 0, 0);
    return found;
  }

  void offer(const ImperfectPlan& plan, ImperfectClimb& climb) {
    if (climb.spent()) return;
    PricedPlan priced = climb.price(plan);
    const Gate gate(problem_.options.rules, rules_);
    if (!gate.prunes(Rule::FillFanouts, [&] { return !priced.fits; })) starts_.push_back(climb.best_orders(priced));
  }

  // Dimension d as large as it gets along the axis; d = -1: no dimension along it, as far as the machine allows.
  bool fill(ImperfectPlan& plan, int loop_place, int d) const {
    const Mapspace& space = plans_.space();
    const LoopPlace& here = plans_.loop_places()[at(loop_place)];
    std::vector<u32> ends;
    for (int k = 0; k < space.dimension_count; ++k) {
      if (!contains(here.allowed, k) || (d >= 0 && k != d)) continue;
      if (d < 0 && space.levels[here.level].spatial.factor[at(k)].min > 1) continue;
      u32 end = 1;
      if (d >= 0) {
        plans_.useful_ends(plan, k, loop_place, ends);
        if (ends.empty()) return false;
        end = ends.back();
      }
      if (end != plans_.end_at(plan, loop_place, k) && !set_outermost(plan, k, loop_place, end)) return false;
    }
    return true;
  }

  bool set_outermost(ImperfectPlan& plan, int d, int loop_place, u32 end) const {
    const auto& loop_places = plans_.loop_places();
    for (int q = static_cast<int>(loop_places.size()); q-- > 0;) {
      const LoopPlace& absorber = loop_places[at(q)];
      if (absorber.kind != LoopKind::Temporal || !contains(absorber.allowed, d)) continue;
      ImperfectPlan trial = plan;
      if (!plans_.apply(trial, {static_cast<u8>(d), static_cast<u8>(loop_place), static_cast<u8>(q), end})) continue;
      plan = trial;
      return true;
    }
    return false;
  }

  // Step 2.
  void climb_starts() {
    at_once(starts_.size(), [&](std::size_t k, ImperfectClimb& climb) { starts_[k] = climb.climb(starts_[k], false); });
  }

  // Step 3, one round: all kicks start at `from`, which becomes where the next round starts. False: no kick leads
  // anywhere.
  bool kicks(PricedPlan& best, PricedPlan& from, u64 round) {
    std::array<std::optional<PricedPlan>, kKicksOfARound> found;
    at_once(kKicksOfARound, [&](std::size_t k, ImperfectClimb& climb) {
      std::mt19937_64 random(kSeed + round * kKicksOfARound + k);
      found[k] = kick(from, best, random, climb);
    });
    const PricedPlan* least = nullptr;
    for (const auto& local : found)
      if (local && local->mapping != from.mapping && (!least || local->value < least->value)) least = &*local;
    const bool any = std::ranges::any_of(found, [](const auto& local) { return local.has_value(); });
    const bool away = from.mapping != best.mapping;
    if (least && least->value < best.value) best = *least;
    from = least && round % kRoundsAway != 0 && close_to(*least, best) ? *least : best;
    problem_.report_progress(objective_number(problem_.options.objective, best.cost), 0);
    return any || away;
  }

  bool close_to(const PricedPlan& plan, const PricedPlan& best) const {
    const Objective objective = problem_.options.objective;
    return objective_number(objective, plan.cost) <= kClose * objective_number(objective, best.cost);
  }

  // A plan disturbed by a few moves, and climbed from; nothing if no disturbance is legal.
  std::optional<PricedPlan> kick(const PricedPlan& from, const PricedPlan& best, std::mt19937_64& random,
                                 ImperfectClimb& climb) const {
    std::vector<EndMove> moves;
    for (int attempt = 0; attempt < kMostAttempts && !climb.spent(); ++attempt) {
      ImperfectPlan plan = from.plan;
      const u64 count = 1 + random() % kMovesOfAKick;
      bool legal = true;
      for (u64 k = 0; k < count && legal; ++k) {
        moves.clear();
        for (int d = 0; d < plans_.space().dimension_count; ++d)
          if (contains(plans_.space().non_unit, d)) plans_.list(plan, d, false, moves);
        if (moves.empty()) return std::nullopt;
        legal = plans_.apply(plan, moves[random() % moves.size()]);
      }
      if (!legal) continue;
      const PricedPlan priced = climb.price(plan);
      if (!priced.fits) continue;
      PricedPlan local = climb.climb(climb.best_orders(priced), false);
      return local.value < best.value ? climb.climb(local, true) : local;
    }
    return std::nullopt;
  }

  static constexpr u64 kSeed = 0x5eed'0f'1a9e;
  static constexpr int kMovesOfAKick = 3;
  // A round begins at the best other mapping that the one before found, if that is at most so many times the best of
  // all; once in so many rounds at the best of all.
  static constexpr double kClose = 1.03;
  static constexpr u64 kRoundsAway = 32;
  static constexpr int kMostAttempts = 1'000;  // at a legal disturbance: those in vain cost no evaluation

  const LayerProblem& problem_;
  const LayerAnswer& perfect_;
  const ClimbShares shares_;
  ImperfectPlanSpace plans_;
  const SearchBudget budget_;
  u64 evaluated_ = 0;
  std::vector<PricedPlan> starts_;
  RuleCounts rules_;
};

}  // namespace

LayerAnswer imperfect_search(const LayerProblem& problem, const LayerAnswer& perfect, const SearchBudget& budget,
                             ClimbShares shares) {
  return ImperfectSearch(problem, perfect, budget, shares).run();
}

}  // namespace heliolite

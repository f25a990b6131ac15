#include "engine/search/imperfect_search.h"

#include <algorithm>
#include <random>

#include "engine/search/imperfect_climb.h"

namespace heliolite {
namespace {

constexpr u64 kEvaluations = 200'000;
constexpr std::size_t kStarts = 8;  // unrollings climbed from

class ImperfectSearch {
 public:
  ImperfectSearch(const LayerProblem& problem, const LayerAnswer& perfect)
      : problem_(problem),
        perfect_(perfect),
        plans_(problem.space, problem.options.rules[Rule::UsefulEnds]),
        climb_(problem, plans_, problem.options.budget_evaluations.value_or(kEvaluations)) {}

  LayerAnswer run() {
    LayerAnswer answer;
    if (perfect_.found) answer.offer(problem_.options.objective, perfect_.mapping, perfect_.cost);
    starts();
    for (PricedPlan& start : starts_) start = climb_.climb(start, false);
    sort();
    if (!starts_.empty() && problem_.options.rules[Rule::Refine]) {
      starts_.front() = climb_.climb(starts_.front(), true);
      kicks(starts_.front());
    }
    if (!starts_.empty()) answer.offer(problem_.options.objective, starts_.front().mapping, starts_.front().cost);
    answer.statistics.evaluated = climb_.evaluated();
    answer.statistics.rules = rules_;
    return answer;
  }

 private:
  void sort() {
    std::sort(starts_.begin(), starts_.end(), [](const PricedPlan& a, const PricedPlan& b) {
      return a.value != b.value ? a.value < b.value : a.mapping < b.mapping;
    });
  }

  // Step 1.
  void starts() {
    ImperfectPlan first;
    if (perfect_.found) {
      first = plans_.plan(perfect_.mapping);
    } else if (!plans_.smallest(first)) {
      return;
    }
    PricedPlan start = climb_.price(first);
    if (!start.fits) return;
    starts_.push_back(start);
    if (problem_.options.rules[Rule::FillFanouts]) other_unrollings(start);
    sort();
    if (starts_.size() > kStarts) starts_.resize(kStarts);
    if (std::none_of(starts_.begin(), starts_.end(), [&](const PricedPlan& p) { return p.mapping == start.mapping; }))
      starts_.push_back(start);
  }

  // Each fan-out's axes cleared, then filled by one dimension each; what is gained or lost is made up for at the
  // outermost temporal spot that takes it.
  void other_unrollings(const PricedPlan& start) {
    const auto& spots = plans_.spots();
    for (int s = 0; s < static_cast<int>(spots.size()); ++s) {
      if (spots[static_cast<std::size_t>(s)].kind == LoopKind::Temporal) continue;
      ImperfectPlan cleared = start.plan;
      if (!fill(cleared, s, -1)) continue;
      int t = s + 1;  // the other axis of the same fan-out
      const bool two = t < static_cast<int>(spots.size()) &&
                       spots[static_cast<std::size_t>(t)].place == spots[static_cast<std::size_t>(s)].place;
      for (int d = 0; d < plans_.space().dimension_count; ++d) {
        ImperfectPlan one = cleared;
        if ((spots[static_cast<std::size_t>(s)].allowed >> d & 1) == 0 || !fill(one, s, d)) continue;
        offer(one);
        if (!two) continue;
        if (!fill(one, t, -1)) continue;
        for (int k = 0; k < plans_.space().dimension_count; ++k) {
          ImperfectPlan both = one;
          if ((spots[static_cast<std::size_t>(t)].allowed >> k & 1) != 0 && fill(both, t, k)) offer(both);
        }
      }
    }
  }

  void offer(const ImperfectPlan& plan) {
    PricedPlan priced = climb_.price(plan);
    if (!rules_.count(Rule::FillFanouts, !priced.fits)) starts_.push_back(climb_.best_orders(priced));
  }

  // Dimension d as large as it gets along the axis; d = -1: no dimension along it, as far as the machine allows.
  bool fill(ImperfectPlan& plan, int spot, int d) const {
    const Mapspace& space = plans_.space();
    const Spot& at = plans_.spots()[static_cast<std::size_t>(spot)];
    std::vector<u32> ends;
    for (int k = 0; k < space.dimension_count; ++k) {
      if ((at.allowed >> k & 1) == 0 || (d >= 0 && k != d)) continue;
      if (d < 0 && space.levels[at.level].spatial.factor[static_cast<std::size_t>(k)].min > 1) continue;
      u32 end = 1;
      if (d >= 0) {
        plans_.useful_ends(plan, k, spot, ends);
        if (ends.empty()) return false;
        end = ends.back();
      }
      if (end != plans_.end_at(plan, spot, k) && !set_outermost(plan, k, spot, end)) return false;
    }
    return true;
  }

  bool set_outermost(ImperfectPlan& plan, int d, int spot, u32 end) const {
    const auto& spots = plans_.spots();
    for (int q = static_cast<int>(spots.size()); q-- > 0;) {
      const Spot& absorber = spots[static_cast<std::size_t>(q)];
      if (absorber.kind != LoopKind::Temporal || (absorber.allowed >> d & 1) == 0) continue;
      ImperfectPlan trial = plan;
      if (!plans_.apply(trial, {static_cast<u8>(d), static_cast<u8>(spot), static_cast<u8>(q), end})) continue;
      plan = trial;
      return true;
    }
    return false;
  }

  // Step 3.
  void kicks(PricedPlan& best) {
    constexpr u64 kSeed = 0x5eed'0f'1a9e;
    constexpr int kMovesOfAKick = 3;
    std::mt19937_64 random(kSeed);
    std::vector<EndMove> moves;
    while (!climb_.spent()) {
      ImperfectPlan plan = best.plan;
      const u64 count = 1 + random() % kMovesOfAKick;
      bool legal = true;
      for (u64 k = 0; k < count && legal; ++k) {
        moves.clear();
        for (int d = 0; d < plans_.space().dimension_count; ++d)
          if (plans_.space().non_unit >> d & 1) plans_.list(plan, d, false, moves);
        if (moves.empty()) return;
        legal = plans_.apply(plan, moves[random() % moves.size()]);
      }
      if (!legal) {
        if (++failures_ > kMostFailures) return;
        continue;
      }
      const PricedPlan priced = climb_.price(plan);
      if (!priced.fits) continue;
      const PricedPlan local = climb_.climb(climb_.best_orders(priced), false);
      if (local.value < best.value) best = climb_.climb(local, true);
    }
  }

  static constexpr u64 kMostFailures = 100'000;  // kicks in vain cost no evaluation

  const LayerProblem& problem_;
  const LayerAnswer& perfect_;
  ImperfectPlanSpace plans_;
  ImperfectClimb climb_;
  std::vector<PricedPlan> starts_;
  RuleCounts rules_;
  u64 failures_ = 0;
};

}  // namespace

LayerAnswer imperfect_search(const LayerProblem& problem, const LayerAnswer& perfect) {
  return ImperfectSearch(problem, perfect).run();
}

}  // namespace heliolite

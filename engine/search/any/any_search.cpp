#include "engine/search/any/any_search.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/search/any/partial_search.h"
#include "engine/search/core/limits.h"
#include "engine/search/imperfect/imperfect_search.h"

namespace heliolite {
namespace {

constexpr u64 kRootEvaluations = 2'000;     // of step 2 for strategies that prove nothing by themselves
constexpr std::size_t kLookPoints = 1'000;  // of the tables of a short look
constexpr u64 kFirstClimb = 10'000;         // evaluations of each climb of step 1
// Of the time, and of the evaluations, that are left: what each climb gets at most, the first look at all mappings
// together, and each turn of a proof.
constexpr double kClimb = 0.02, kFirstLook = 0.01, kFirstTurn = 0.05, kTurn = 0.1;
constexpr int kTurns = 2;  // of both proofs, before the one that has come further goes on
// Where both have come equally far: so many turns, each of so much of the time that is left.
constexpr int kTies = 4;
constexpr double kTie = 0.3;
// Answers so much above their bound are climbed from again: they are likely not the best. Further away each climb gets
// twice as much.
constexpr double kFar = 1.01, kVeryFar = 1.1;

class AnySearch {
 public:
  AnySearch(const LayerProblem& problem, std::span<const LayerAnswer> starts, const SearchBudget& budget)
      : problem_(problem),
        starts_(starts.begin(), starts.end()),
        budget_(budget.limited() ? budget : budget.at_most(kAnyEvaluations)) {
    starts_.emplace_back();  // climbs from nothing begin at the smallest factors
  }

  // Climbs with half of the evaluations, and the bound that the rest gives.
  LayerAnswer look() {
    const u64 each = left().evaluations_left(0) / (2 * starts_.size());
    for (const LayerAnswer& start : starts_)
      if (start.found) climb(start, left().at_most(each));
    if (!prepare(kLookPoints)) return best_;
    PartialSearch search(problem_, *keeps_, best_);
    prove(search, left());
    return best_;
  }

  LayerAnswer run() {
    for (const LayerAnswer& start : starts_) climb(start, left().part_of_time(kClimb).at_most(kFirstClimb));
    if (!prepare(TileRanges::kMostPoints)) {
      best_.end = SearchEnd::Keeps;
      return best_;
    }
    PartialSearch together(problem_, *keeps_, best_);
    if (problem_.options.strategy != Strategy::Exact) {
      prove(together, left().at_most(kRootEvaluations));
      return best_;
    }
    if (!prove(together, share(kFirstLook)) && is_cut_short()) prove_either_way(together);
    return best_;
  }

 private:
  SearchBudget left() const { return budget_.after(best_.statistics.evaluated); }
  SearchBudget share(double part) const {
    const SearchBudget all = left().part_of_time(part);
    if (!all.limits_evaluations()) return all;
    return all.at_most(static_cast<u64>(part * static_cast<double>(all.evaluations_left(0))));
  }

  void climb(const LayerAnswer& start, const SearchBudget& budget) {
    const LayerAnswer found = imperfect_search(problem_, start, budget);
    best_.statistics += found.statistics;
    if (found.found) best_.offer(problem_.options.objective, found.mapping, found.cost);
  }

  // Whether there are few enough keep choices.
  bool prepare(std::size_t most_points) {
    keeps_ = std::make_unique<KeepSpaces>(problem_, best_, most_points);
    return keeps_->choices() > 0;
  }

  bool is_cut_short() const { return best_.end == SearchEnd::Evaluations || best_.end == SearchEnd::Time; }

  // Divides the mappings by their unrollings, too; climbs on if the answer is still far from its bound; goes on with
  // both searches in turns, then with what has come further.
  void prove_either_way(PartialSearch& together) {
    std::unique_ptr<PartialSearch> divided = divide();
    if (divided && prove(*divided, share(kFirstTurn), together.bytes())) return;
    const Value before = best_.value;
    climb_on();
    if (!divided && best_.value < before) divided = divide();  // a better answer leaves fewer unrollings
    for (int turn = 0; turn < kTurns && divided; ++turn) {
      if (prove(together, share(kTurn), divided->bytes())) return;
      if (one_is_far_ahead(together, *divided)) break;
      if (prove(*divided, share(kTurn), together.bytes())) return;
      if (one_is_far_ahead(together, *divided)) break;
    }
    for (int turn = 0; turn < kTies && divided && divided->lower_bound() == together.lower_bound(); ++turn) {
      const auto [next, other] =
          turn % 2 == 0 ? std::pair(divided.get(), &together) : std::pair(&together, divided.get());
      if (prove(*next, share(kTie), other->bytes())) return;
    }
    if (divided && divided->lower_bound() >= together.lower_bound()) {
      if (prove(*divided, left(), together.bytes()) || best_.end != SearchEnd::Memory) return;
    }
    divided.reset();
    prove(together, left());
  }

  // None if there are too many unrollings, or the budget is over.
  std::unique_ptr<PartialSearch> divide() {
    auto divided = std::make_unique<PartialSearch>(problem_, *keeps_, best_);
    if (!divided->divide(left())) divided.reset();
    return divided;
  }

  // Whether one of two proofs has left less than half of what the other one has.
  bool one_is_far_ahead(const PartialSearch& a, const PartialSearch& b) const {
    if (!best_.found) return false;
    const double answer = objective_number(problem_.options.objective, best_.cost);
    const auto [less, more] = std::minmax({answer - a.lower_bound(), answer - b.lower_bound()});
    return 2 * less < more;
  }

  void climb_on() {
    const Objective objective = problem_.options.objective;
    bool first = true;
    for (Value before = Value::worst(); best_.found && best_.value < before;) {
      const double value = objective_number(objective, best_.cost), bound = best_.lower_bound.value_or(0);
      if (value <= kFar * bound) return;
      before = best_.value;
      const double part = value <= kVeryFar * bound ? kClimb : 2 * kClimb;
      if (std::exchange(first, false))
        for (const LayerAnswer& start : starts_) climb(start, share(part));
      climb(LayerAnswer(best_), share(part));
    }
  }

  // Goes on with the search, while others hold so many bytes. Returns whether the answer is the optimum.
  bool prove(PartialSearch& search, const SearchBudget& budget, u64 held = 0) {
    best_.end = search.run(budget, held);
    best_.complete = search.proven();
    best_.lower_bound = std::max(best_.lower_bound.value_or(0), search.proven() ? 0 : search.lower_bound());
    return best_.complete;
  }

  const LayerProblem& problem_;
  std::vector<LayerAnswer> starts_;
  const SearchBudget budget_;
  LayerAnswer best_;
  std::unique_ptr<KeepSpaces> keeps_;
};

}  // namespace

LayerAnswer any_search(const LayerProblem& problem, std::span<const LayerAnswer> starts, const SearchBudget& budget) {
  return AnySearch(problem, starts, budget).run();
}

LayerAnswer any_look(const LayerProblem& problem, std::span<const LayerAnswer> starts, const SearchBudget& budget) {
  return AnySearch(problem, starts, budget).look();
}

}  // namespace heliolite

#pragma once
// What a search needs that prices one mapping after the other: a count, the best so far, and an end.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Prices mappings of one layer within a budget. Not for several threads.
class Pricing {
 public:
  // Both must outlive it.
  Pricing(const LayerProblem& problem, const SearchBudget& budget) : problem_(problem), budget_(budget) {}

  // Whether no more mapping may be priced.
  bool over() {
    if (over_) return true;
    const bool looks = ++asked_ % kLooksAtClock == 0;
    return over_ = !budget_.allows(answer_.statistics.evaluated + 1) || (looks && budget_.over());
  }

  // Prices the mapping, which must be of the mapspace but may not fit, and keeps it if it is the best.
  Evaluation price(const Mapping& mapping) {
    const Evaluation e = problem_.model.evaluate(mapping, problem_.counts());
    take(mapping, e);
    return e;
  }

  // The same for a mapping that was priced elsewhere. Returns whether it is better than all before.
  bool take(const Mapping& mapping, const Evaluation& e);

  // Work that costs as much as pricing a mapping, and prices none.
  void count_one() { ++answer_.statistics.evaluated; }

  u64 evaluated() const { return answer_.statistics.evaluated; }
  const LayerAnswer& answer() const { return answer_; }

 private:
  static constexpr u64 kLooksAtClock = 64;  // once in so many questions

  const LayerProblem& problem_;
  const SearchBudget& budget_;
  LayerAnswer answer_;
  u64 asked_ = 0;
  bool over_ = false;
};

}  // namespace heliolite

#pragma once
// What a search needs that prices one mapping after the other: a count, the best so far, and an end.
#include <span>
#include <vector>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// A mapping that was priced.
struct Priced {
  Value value = Value::worst();  // of what is minimised
  double number = kNever;        // the same as a rounded number, above 0
  bool legal = false;            // it fits; otherwise both are what no mapping has
  bool better = false;           // than all before it
};

// Prices mappings of one layer within a budget. Not for several threads.
class Pricing {
 public:
  // Both must outlive it.
  Pricing(const LayerProblem& problem, const SearchBudget& budget) : problem_(problem), budget_(budget) {}

  // Whether no more mapping may be priced.
  bool over() {
    if (over_) return true;
    const bool looks = asked_++ % kLooksAtClock == 0;
    return over_ = !budget_.allows(answer_.statistics.evaluated + 1) || (looks && budget_.over());
  }

  // Prices the mapping, which must be of the mapspace but may not fit, and keeps it if it is the best.
  Priced price(const Mapping& mapping) { return take(mapping, evaluate(mapping)); }

  // The same for several, side by side on the threads of the options; what is kept does not depend on their number.
  std::vector<Priced> price(std::span<const Mapping> mappings);

  // The same for a mapping of which the cost model was asked elsewhere.
  Priced take(const Mapping& mapping, const Evaluation& e) {
    return take(e, [&]() -> const Mapping& { return mapping; });
  }
  // The same where the mapping has to be made again: `make` does, and is called only if it is wanted.
  template <class Make>
  Priced take(const Evaluation& e, const Make& make) {
    const Priced priced = count(e);
    if (priced.legal && (!answer_.found || priced.value <= answer_.value)) keep(make(), e.cost, priced);
    return priced;
  }

  // Work that costs as much as pricing a mapping, and prices none.
  void count_one() { ++answer_.statistics.evaluated; }

  u64 evaluated() const { return answer_.statistics.evaluated; }
  const LayerAnswer& answer() const { return answer_; }

 private:
  // What the mapping costs; several threads may ask.
  Evaluation evaluate(const Mapping& mapping) const { return problem_.model.evaluate(mapping, problem_.counts()); }
  // Of a mapping with this evaluation.
  Priced count(const Evaluation& e);
  // One that is as good as the best.
  void keep(const Mapping& mapping, const Cost& cost, const Priced& priced);

  static constexpr u64 kLooksAtClock = 64;  // once in so many questions

  const LayerProblem& problem_;
  const SearchBudget& budget_;
  LayerAnswer answer_;
  u64 asked_ = 0;
  bool over_ = false;
};

}  // namespace heliolite

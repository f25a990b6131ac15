#pragma once
// What a search needs that prices one mapping after the other: a count, the best so far, and an end. Values are the
// cost model's, or those of an evaluator (SearchOptions::evaluator).
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/search/core/budget.h"
#include "engine/search/core/evaluator.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// A mapping that was priced.
struct Priced {
  Value value = Value::worst();  // value of what is minimised
  double number = kNever;        // value as a rounded number, above 0
  bool fits = false;             // the machine has room for it
  bool legal = false;            // and it has a value; otherwise both are what no mapping has
  bool better = false;           // than all before it
};

// Prices mappings of one layer within a budget. Not for several threads. With an evaluator only mappings that the
// command is asked about count: not those that do not fit, nor those met before.
class Pricing {
 public:
  // Both must outlive it.
  Pricing(const LayerProblem& problem, const SearchBudget& budget);

  // Whether no more mapping may be priced.
  bool over() {
    if (over_) return true;
    const bool looks = asked_++ % kLooksAtClock == 0 || evaluator_;
    return over_ = !budget_.allows(answer_.statistics.evaluated + 1) || (looks && budget_.over());
  }

  // Prices the mapping, which must be of the mapspace but may not fit, and keeps it if it is the best.
  Priced price(const Mapping& mapping) { return take(mapping, evaluate(mapping)); }

  // Prices several mappings, side by side on the threads of the options; what is kept does not depend on their number.
  std::vector<Priced> price(std::span<const Mapping> mappings);

  // Takes a mapping of which the cost model was asked elsewhere.
  Priced take(const Mapping& mapping, const Evaluation& e) {
    return take(e, [&]() -> const Mapping& { return mapping; });
  }
  // Takes a mapping that has to be made again: `make` does, and is called only if it is wanted.
  template <class Make>
  Priced take(const Evaluation& e, const Make& make) {
    if (evaluator_) return e.verdict == Verdict::Fits ? evaluate(make(), e.cost) : Priced();
    const Priced priced = count(e);
    if (priced.legal && (!answer_.found || priced.value <= answer_.value)) keep(make(), e.cost, priced);
    return priced;
  }

  // How many mappings an evaluator can be asked about at a time; 0: there is none.
  std::size_t at_once() const { return evaluator_ ? threads_ : 0; }
  // Asks the evaluator about mappings that fit, at the same time, so that its answers are known when they are taken
  // one after the other. For mappings that will be: what is asked here and never taken is not counted.
  void ask_ahead(std::span<const Mapping> mappings);

  // Work that costs as much as pricing a mapping, and prices none.
  void count_one() { answer_.statistics.evaluated += evaluator_ ? 0 : 1; }

  u64 evaluated() const { return answer_.statistics.evaluated; }
  const LayerAnswer& answer() const { return answer_; }

 private:
  struct Known {
    EvaluatorAnswer answer;
    bool taken = false;
  };

  // What the cost model says of the mapping; several threads may ask.
  Evaluation evaluate(const Mapping& mapping) const { return problem_.evaluate(mapping); }
  // Counts a mapping with this evaluation by the cost model.
  Priced count(const Evaluation& e);
  // The evaluator's value of a mapping that fits.
  Priced evaluate(const Mapping& mapping, const Cost& cost);
  // The evaluator's answer, and whether it is a new one; null: the search is over.
  const EvaluatorAnswer* known_answer(const Mapping& mapping);
  void count_failure(const std::string& why);
  // One that is as good as the best.
  void keep(const Mapping& mapping, const Cost& cost, const Priced& priced);

  static constexpr u64 kLooksAtClock = 64;  // questions from one look at the clock to the next

  const LayerProblem& problem_;
  const SearchBudget& budget_;
  LayerAnswer answer_;
  u64 asked_ = 0;
  bool over_ = false;

  std::unique_ptr<Evaluator> evaluator_;  // null: values are the cost model's
  std::size_t threads_ = 1;
  std::map<std::string, Known> known_;  // [the mapping's document]
  u64 failures_in_a_row_ = 0;
};

}  // namespace heliolite

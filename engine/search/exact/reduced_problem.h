#pragma once
// The smaller problem that the exact search solves in place of the one it is asked: fewer dimensions, fewer places for
// loops, the same best value (docs/rules/exact.md, rules merge-dimensions and batch-outermost).
#include <optional>

#include "engine/search/core/layer_problem.h"
#include "engine/space/merge.h"

namespace heliolite {

// A problem and what it was made from.
class ReducedProblem {
 public:
  // Refers to `problem`, which must outlive it. The problems of a co-search are left as they are.
  explicit ReducedProblem(const LayerProblem& problem);

  // Whether problem() is another one.
  bool any() const { return reduced_.has_value(); }
  const LayerProblem& problem() const { return reduced_ ? *reduced_ : original_; }

  // An answer to problem(), and what it says of a witness, becomes one to the original; its mapping may also be one of
  // the original's already.
  void restore(LayerAnswer& answer) const;

 private:
  WitnessReport restored(const WitnessReport& report) const;

  const LayerProblem& original_;
  std::optional<MergedDimensions> merged_;
  std::optional<LayerProblem> reduced_;
  RuleCounts counts_;
};

}  // namespace heliolite

#pragma once
// The smaller problem that a certifier solves in place of the one it is asked: fewer dimensions, fewer places for
// loops, the same best value (docs/rules/exact.md, rules merge-dimensions and batch-outermost; for true counts
// docs/rules/any_factors.md, Batches).
#include <optional>

#include "engine/search/core/layer_problem.h"
#include "engine/space/symmetry.h"

namespace heliolite {

// A problem and what it was made from.
class ReducedProblem {
 public:
  // For perfect factors, or for all tile sizes, where dimensions stay apart, and roundings of cycles may make a mapping
  // better that is left out. Refers to `problem`, which must outlive it. The problems of a co-search are left as they
  // are.
  ReducedProblem(const LayerProblem& problem, Factors factors);
  ReducedProblem(const ReducedProblem&) = delete;
  ReducedProblem& operator=(const ReducedProblem&) = delete;

  // Whether problem() is another one.
  bool changed() const { return reduced_.has_value(); }
  const LayerProblem& problem() const { return reduced_ ? *reduced_ : original_; }
  // Dimensions whose loops are left out at all levels but the outermost.
  DimensionMask batches() const { return batches_; }
  // How often its rules have reduced something.
  const RuleCounts& counts() const { return counts_; }

  // An answer to problem(), and what it says of a witness, becomes one to the original; its mapping may also be one of
  // the original's already.
  void restore(LayerAnswer& answer) const;

 private:
  void reduce_perfect();
  void reduce_all_tiles();
  void take_batches(DimensionMask batches);
  void restore(Mapping& mapping) const;
  WitnessReport restored(const WitnessReport& report) const;

  const LayerProblem& original_;
  std::optional<MergedDimensions> merged_;
  std::optional<LayerProblem> reduced_;
  DimensionMask batches_ = 0;
  RuleCounts counts_;
};

}  // namespace heliolite

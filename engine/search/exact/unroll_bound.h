#pragma once
// The energy that a partial mapping ends with at least once the fan-out outside it is chosen: a short sum for each
// choice, before the choice is placed (rule lattice-bound, docs/rules/exact.md).
#include "engine/search/exact/partial_bounds.h"

namespace heliolite {

// The bound for one partial mapping, whose tile is that of the level inside the fan-out.
class UnrollBound {
 public:
  // `before`: what is known of s; `level`: the fan-out is the one below it.
  UnrollBound(const FlowCosts& model, const RestBounds& tables, const PartialMapping& s,
              const PartialBounds::Inside& before, int level);

  // Energy units of all flows that have begun, in every completion that unrolls so. The words that need different
  // receivers and those that are copied are known by then; of the loops outside, the first one closes the flows that it
  // moves without reuse, and all others are fetched once.
  double energy(const SpatialChoice& choice) const;

 private:
  // Energy of a closed flow whose words still pass the fan-out.
  struct Passing {
    std::size_t tensor;
    double each;   // if every receiver needs words of its own
    double least;  // whatever is chosen
  };
  // A flow in place: costs if every iteration outside fetches it again, and at least.
  struct Waiting {
    std::size_t tensor;
    DimensionMask relevant;
    double fill, serve;           // at both ends, if every receiver needs words of its own
    double repeats;               // share of the iterations that fetch it in every order
    double without_reuse, least;  // whatever is chosen
    const double* halo;           // null: the tensor does not slide
  };

  double closed_;
  DimensionMask loops_;  // classes of loops outside
  std::size_t passing_count_ = 0, waiting_count_ = 0;
  std::array<Passing, kMaxTensors> passing_;
  std::array<Waiting, kMaxOpenFlows> waiting_;
};

}  // namespace heliolite

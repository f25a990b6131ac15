#pragma once
// Cycles that the outermost level's bandwidths need for the words that every mapping moves, as the cost model rounds
// them (docs/cost_model.md, rule 28): in doubles that are divided by the steps of the compute units first, so that 64
// words at 8 words a cycle may be 8 cycles with some steps and 9 with others. Proof: docs/rules/any_factors.md.
#include <array>

#include "engine/search/all_tiles/flows.h"

namespace heliolite {

class RoundedCycles {
 public:
  explicit RoundedCycles(const KeptFlows& costs);

  // Whether roundings may ask for a cycle more than the words do: where these fill all cycles.
  bool may_round_up() const { return may_round_up_; }
  // Without roundings.
  u64 exact() const { return exact_; }
  // Of mappings whose steps are a multiple of `unit`, no fewer than `least` and no more than `most`: at least so many.
  // exact() if too many such numbers of steps would have to be looked at.
  u64 of_multiples(u64 unit, u64 least, u64 most) const;

 private:
  const CompiledLevel& level_;
  std::size_t tensors_;
  std::array<u64, kMaxTensors> reads_{}, writes_{};  // parts of words
  u64 exact_ = 0;
  bool may_round_up_ = false;
};

}  // namespace heliolite

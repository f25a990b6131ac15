#pragma once
// The compulsory cost: what every mapping pays whatever it does. Proof: docs/rules/compulsory.md.
#include <array>

#include "engine/model/cost_model.h"

namespace heliolite {

// Which tensors each level keeps in every mapping considered, and in some.
struct KeepRange {
  std::array<TensorMask, kMaxLevels> must{};
  std::array<TensorMask, kMaxLevels> may{};
};

// Lower bounds on energy and cycles.
struct CompulsoryCost {
  std::array<Cost, kMaxLevels> outside;  // [i]: of levels i + 1 .. outermost alone
  Cost whole;                            // of all levels and the compute units
};

// Words of the tensor that some MAC uses, at least: unlike its box, without the holes that strides leave.
u64 touched_words(const CompiledTensor& t, const Compiled& c);

CompulsoryCost compulsory_cost(const CostModel& model, const KeepRange& keep);

}  // namespace heliolite

#pragma once
// The compulsory cost: the energy and cycles that every mapping of a layer pays at least, because each word must be
// moved once and each MAC be done. Proof: docs/rules/compulsory.md.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/model/compiled.h"
#include "engine/model/cost_model.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// Cycles of a bound as a mapping's are: whole.

// What a sum of doubles of a bound, and the cost model's own, can be too large by: less than 1e-13 each
// (docs/rules/exact.md). Were it more, bounds of layers with 1e9 cycles would end below a mapping that reaches them.
inline constexpr double kCycleRounding = 1 - 2e-13;

// The least whole number that is not clearly below; at least 1.
inline double whole_cycles(double cycles) { return std::max(1.0, std::ceil(cycles * kCycleRounding)); }

// Lower bounds on energy and cycles.
struct CompulsoryCost {
  std::array<Cost, kMaxLevels> outside;  // [i]: accesses of levels i + 1 .. outermost; compute units not included
  Cost whole;                            // accesses of all levels, and the compute units
};

// A lower bound on the number of different words of the tensor that the layer's MACs use. Unlike the tensor's box it
// does not count the words that strides skip.
// `size`: of the dimensions.
u64 touched_words(const CompiledTensor& t, const Extents& size);
inline u64 touched_words(const CompiledTensor& t, const Compiled& c) { return touched_words(t, c.size); }
// Words touched along one rank of the tensor; all words are the product, if it is not entangled.
u64 touched_along(const CompiledTensor& t, int rank, const Extents& size);

// The compulsory cost of the model's layer over all mappings whose keep choices lie in `keep`.
CompulsoryCost compulsory_cost(const CostModel& model, const KeepRange& keep);

}  // namespace heliolite

#pragma once
// Smaller instances of equal best value, which a proof may speak of instead (docs/rules/proof.md, Reductions), and
// mappings of the cost model as steps of their proofs.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/mapping.h"
#include "engine/proof/instance.h"
#include "engine/proof/pass.h"

namespace heliolite::proof {

// What is done to an instance, in this order.
struct Reduction {
  // Dimensions that tensors and limits treat alike are one, the first of a pair; the second is left with size 1
  // (docs/rules/exact.md, rule merge-dimensions).
  std::vector<std::pair<int, int>> merged;
  // Dimensions that index every tensor by themselves, and have all their temporal loops at the outermost level, outside
  // all others (rule batch-outermost).
  std::vector<int> batch;
  Instance whole, instance;  // before, and after

  // The lines of a proof that say so.
  std::string text() const;
};

// All that can be done.
Reduction reduce(const Instance& instance);

// With these two as one; none: something treats them differently, or the sizes would have too many divisors.
std::optional<Instance> with_merged(const Instance& instance, int first, int second);

// The mapping as one of the question, whose instance is the reduction's: loops over dimensions that are merged are one,
// where the innermost of them stands, and those over batch dimensions that it has no room for inside are outside all
// others. None: the instance does not allow it.
std::optional<ProofMapping> steps_of(const Question& question, const Mapping& mapping, const Reduction& reduction);

// A mapping of the workload of the same cost: where dimensions are merged each loop gives as much as is left to the
// first of them.
Mapping mapping_of(const Question& question, const ProofMapping& steps, const Reduction& reduction);

}  // namespace heliolite::proof

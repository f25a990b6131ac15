#pragma once
// Mappings of the cost model as steps of a proof, and back.
#include <optional>

#include "engine/model/mapping.h"
#include "engine/proof/pass.h"
#include "engine/proof/reduce.h"

namespace heliolite::proof {

// The mapping as one of the question, whose instance is the reduction's: loops over dimensions that are merged are one,
// where the innermost of them stands, and those over batch dimensions that it has no room for inside are outside all
// others. None: the instance does not allow it.
std::optional<ProofMapping> steps_of(const Question& question, const Mapping& mapping, const Reduction& reduction);

// A mapping of the workload of the same cost: where dimensions are merged each loop gives as much as is left to the
// first of them.
Mapping mapping_of(const Question& question, const ProofMapping& steps, const Reduction& reduction);

}  // namespace heliolite::proof

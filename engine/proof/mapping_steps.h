#pragma once
// Mappings of the cost model as steps of a proof, and back.
#include <optional>

#include "engine/model/mapping.h"
#include "engine/proof/pass.h"

namespace heliolite::proof {

// None: the instance does not allow it. Loops over `batch` dimensions that the question's instance has no room for
// inside are moved outside all others.
std::optional<ProofMapping> steps_of(const Question& question, const Mapping& mapping, const std::vector<int>& batch);

Mapping mapping_of(const Question& question, const ProofMapping& steps);

}  // namespace heliolite::proof

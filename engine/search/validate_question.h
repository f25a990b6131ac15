#pragma once
// Which questions no search answers: options that exclude each other, or that the layer does not allow.
#include "engine/base/result.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Why no search answers a question with these options; empty if one does.
Diagnostics validate_question(const SearchOptions& options);

// Why the search could not meet the witness of its options; empty if there is none or it could.
Diagnostics witness_complaints(const LayerProblem& problem);

// What stands against a search over all tile sizes; empty if nothing does or if it was not asked for.
Diagnostics factors_complaints(const LayerProblem& problem);

// What stands against these options on a machine that counts ramps (docs/cost_model.md, rule 46).
Diagnostics ramps_complaints(const Architecture& architecture, const SearchOptions& options);

}  // namespace heliolite

#pragma once
// What `map` says in addition to its mappings: about an evaluator, about a witness, and why answers are not proven.
#include <span>
#include <string>

#include "cli/ui/json.h"
#include "engine/base/result.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/objective.h"

namespace heliolite::cli {

// What an evaluator said of the mappings that a search found by it (docs/evaluator.md).

// The evaluator's values next to the cost model's numbers in the table, and what failed; empty without an evaluator.
std::string evaluator_text(const NetworkResult& result, const EvaluatorOptions& evaluator);

// What an evaluator said of one layer; null without an evaluator.
Json evaluator_json(const MappingResult& layer, const EvaluatorOptions& evaluator);

// What `map --witness` says of the mapping that it was given.

// A line for the witness, and one for each rule or limit that removed it. `value`: of the search's answer.
std::string witness_text(const WitnessReport& report, Objective objective, double value,
                         const Architecture& architecture);

// What became of the witness; null without a report.
Json witness_json(const std::optional<WitnessReport>& report, const Architecture& architecture);

// The errors of the program that the witness has shown; empty: none.
Diagnostics witness_errors(const WitnessReport& report);

// Why answers are not proven, for people: each reason once, with the layers.

// Why the answer for a layer is not proven.
struct NotProven {
  std::string layer;
  std::string why;  // empty: it is proven, or nothing but the strategy stands in its way
};

// Lines to print below a table of these layers; empty if there is nothing to say.
std::string not_proven_text(std::span<const NotProven> layers);

}  // namespace heliolite::cli

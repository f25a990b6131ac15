#pragma once
// What an evaluator said of the mappings that a search found by it (docs/evaluator.md).
#include <string>

#include "cli/ui/json.h"
#include "engine/search/core/answer.h"

namespace heliolite::cli {

// The values beside the cost model's numbers of the table, and what failed; empty without an evaluator.
std::string evaluator_text(const NetworkResult& result, const EvaluatorOptions& evaluator);

// The same of one layer; null without an evaluator.
Json evaluator_json(const MappingResult& layer, const EvaluatorOptions& evaluator);

}  // namespace heliolite::cli

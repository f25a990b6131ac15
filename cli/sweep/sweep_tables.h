#pragma once
// The answer of a sweep, as tables and as JSON: the same at the end of the sweep and from its database later.
#include <string>
#include <vector>

#include "cli/ui/json.h"
#include "engine/sweep/front.h"
#include "engine/sweep/records.h"

namespace heliolite::cli {

// Best points, Pareto front, layers of the best point, and what became of the others.
std::string sweep_tables(const SweepRecord& sweep, const SweepSummary& summary,
                         const std::vector<LayerRecord>& layers_of_best);

// Appends "counts", "reasons", "best", "front" and "layers" of docs/json.md to `answer`.
void add_sweep_answer(Json& answer, const SweepRecord& sweep, const SweepSummary& summary,
                      const std::vector<LayerRecord>& layers_of_best);

}  // namespace heliolite::cli

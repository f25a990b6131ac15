#pragma once
// Reads tables of what other mappers found, as comma-separated text (docs/formats_bench.md).
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/search/core/objective.h"
#include "engine/search/study/bench_suite.h"

namespace heliolite::cli {

// Columns, in any order: machine, layer, mapper (or tool; `setting` is added in brackets); the value as `value` or as
// `energy_pj` and `cycles`; optionally `objective` (rows of another one are skipped), `seconds` (or cpu_s) and
// `evaluated`. Other columns are ignored, lines starting with # too.
// Errors, all with their lines: missing columns, too many or too few cells, what is no positive number.
Result<std::vector<ExternalResult>> load_external_results(const std::string& path, Objective objective);

}  // namespace heliolite::cli

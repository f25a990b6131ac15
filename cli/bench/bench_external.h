#pragma once
// Reads tables of what other mappers found, as comma-separated text (docs/formats_bench.md).
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/search/core/objective.h"
#include "engine/search/study/bench_analysis.h"
#include "engine/search/study/bench_suite.h"

namespace heliolite::cli {

// What a publication says of mappers, as a suite's file states it.

// Reads one element of `published`. Complains also about mappers that the suite's strategies and tables do not have,
// so these are read before.
PublishedClaim published_claim(const YamlNode& node, const BenchSuite& suite, Diagnostics& errors);

// Columns, in any order: machine, layer, mapper (or tool; `setting` is added in brackets); the value as `value` or as
// `energy_pj` and `cycles`; optionally `objective` (rows of another one are skipped), `seconds` (or cpu_s) and
// `evaluated`. Other columns are ignored, lines starting with # too.
// Errors, all with their lines: missing columns, too many or too few cells, what is no positive number.
Result<std::vector<ExternalResult>> load_external_results(const std::string& path, Objective objective);

}  // namespace heliolite::cli

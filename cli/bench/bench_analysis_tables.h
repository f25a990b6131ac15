#pragma once
// How the mappers of a suite compare, for people, spreadsheets and programs (docs/formats_bench.md, docs/json.md).
#include <string>
#include <vector>

#include "cli/ui/json.h"
#include "engine/search/study/bench_analysis.h"

namespace heliolite::cli {

// Tables for people, each after a line that says what it is; empty where there is nothing to say.
std::string analysis_tables(const BenchAnalysis& analysis);

// Comma-separated text: each improvement of each search.
std::string trace_csv(const std::vector<BenchRow>& rows);

// Adds "near", "profiles", "comparisons", "against_random" and "published" to an answer.
void add_analysis(Json& answer, const BenchAnalysis& analysis);

}  // namespace heliolite::cli

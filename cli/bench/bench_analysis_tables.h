#pragma once
// How the mappers of a suite compare, for people, spreadsheets and programs (docs/formats_bench.md, docs/json.md).
#include <string>
#include <vector>

#include "cli/ui/json.h"
#include "engine/search/study/bench_analysis.h"
#include "engine/sweep/co_search_study.h"

namespace heliolite::cli {

// The answers of a co-search suite of `heliolite bench` for people, spreadsheets and programs.

// The study as text: three figures of Ng, UBC 2022, chapter 7 as tables (configurations evaluated, tiles looked at by
// level), then answers and times.
std::string co_search_tables(const CoSearchStudy& study, const SweepSpec& spec);
// The study as comma-separated text and as JSON (docs/json.md).
std::string co_search_csv(const CoSearchStudy& study);
Json co_search_json(const CoSearchStudy& study);

// Tables for people, each after a line that says what it is; empty where there is nothing to say.
std::string analysis_tables(const BenchAnalysis& analysis);

// Comma-separated text: each improvement of each search.
std::string trace_csv(const std::vector<BenchRow>& rows);

// Adds "near", "profiles", "comparisons", "against_random" and "published" to an answer.
void add_analysis(Json& answer, const BenchAnalysis& analysis);

}  // namespace heliolite::cli

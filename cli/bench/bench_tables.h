#pragma once
// The results of heliolite bench as tables and JSON: mappers side by side, and analyses.
#include <string>
#include <vector>

#include "cli/ui/json.h"
#include "engine/search/study/ablation.h"
#include "engine/search/study/bench_analysis.h"
#include "engine/search/study/bench_suite.h"
#include "engine/sweep/co_search_study.h"

namespace heliolite::cli {

// Tables for people.
std::string rows_table(const std::vector<BenchRow>& rows, const AskedObjective& objective);
// What the table has no column for: why there is no mapping, what an evaluator said.
std::string rows_notes(const std::vector<BenchRow>& rows);
std::string summary_table(const std::vector<BenchSummary>& summaries);
std::string ablation_table(const AblationResult& result, Objective objective);

// Comma-separated text: a line with the names of the columns, then one for each row; cells without a value are empty.
std::string rows_csv(const std::vector<BenchRow>& rows, const AskedObjective& objective);
std::string ablation_csv(const AblationResult& result);

// JSON with the keys of docs/json.md.
Json rows_json(const std::vector<BenchRow>& rows);
Json summary_json(const std::vector<BenchSummary>& summaries);
Json ablation_json(const AblationResult& result);

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

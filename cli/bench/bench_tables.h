#pragma once
// The answers of `heliolite bench` for people, spreadsheets and programs (docs/commands.md, docs/json.md).
#include <string>
#include <vector>

#include "cli/ui/json.h"
#include "engine/search/study/ablation.h"
#include "engine/search/study/bench_suite.h"

namespace heliolite::cli {

// Tables for people.
std::string rows_table(const std::vector<BenchRow>& rows, Objective objective);
// What the table has no column for: why there is no mapping, what an evaluator said.
std::string rows_notes(const std::vector<BenchRow>& rows);
std::string summary_table(const std::vector<BenchSummary>& summaries);
std::string ablation_table(const AblationResult& result, Objective objective);

// Comma-separated text: a line with the names of the columns, then one for each row; cells without a value are empty.
std::string rows_csv(const std::vector<BenchRow>& rows, Objective objective);
std::string ablation_csv(const AblationResult& result);

// JSON with the keys of docs/json.md.
Json rows_json(const std::vector<BenchRow>& rows);
Json summary_json(const std::vector<BenchSummary>& summaries);
Json ablation_json(const AblationResult& result);

}  // namespace heliolite::cli

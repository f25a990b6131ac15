#pragma once
// The answers of a co-search suite of `heliolite bench` for people, spreadsheets and programs.
#include <string>

#include "cli/ui/json.h"
#include "engine/sweep/co_search_study.h"

namespace heliolite::cli {

// The study as text: three figures of Ng, UBC 2022, chapter 7 as tables (configurations evaluated, tiles looked at by
// level), then answers and times.
std::string co_search_tables(const CoSearchStudy& study, const SweepSpec& spec);
// The same as comma-separated text and as JSON (docs/json.md).
std::string co_search_csv(const CoSearchStudy& study);
Json co_search_json(const CoSearchStudy& study);

}  // namespace heliolite::cli

#pragma once
// What `map --witness` says of the mapping that it was given.
#include <string>

#include "cli/ui/json.h"
#include "engine/base/result.h"
#include "engine/search/core/objective.h"
#include "engine/search/core/witness_report.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// A line for the witness, and one for each rule or limit that removed it. `value`: of the search's answer.
std::string witness_text(const WitnessReport& report, Objective objective, double value,
                         const Architecture& architecture);

// The same; null without a report.
Json witness_json(const std::optional<WitnessReport>& report, const Architecture& architecture);

// The errors of the program that the witness has shown; empty: none.
Diagnostics witness_errors(const WitnessReport& report);

}  // namespace heliolite::cli

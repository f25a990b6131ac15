#pragma once
// The library's types as JSON. Keys are stable and documented in docs/json.md.
#include <nlohmann/json.hpp>
#include <string>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "engine/model/cost.h"
#include "engine/search/core/strategy.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// The version of the program as JSON, for every answer.

nlohmann::ordered_json version_json();  // {"version", "commit", "compiler", "build_type", "sanitizers", "assertions"}

using Json = nlohmann::ordered_json;

// The head of every answer: which program, which command, what was asked.
Json answer_head(const std::string& command);

Json question(const Workload& workload);          // {"name", "hash", "dimensions", "macs"}
Json question(const Architecture& architecture);  // {"name", "hash", "cycles"}: how they are counted

// "value" (null unless a mapping was found), "evaluations", "failures", "repeated", "first_failure".
Json to_json(const EvaluatorReport& report, bool found);
Json dimensions_json(const Workload& workload);  // {"K": 64, ..}

// Appends "energy_pj", "cycles", "edp_pj_cycles" and "utilization" to `object`.
void add_cost(Json& object, Energy energy, u64 cycles, double utilization);

// The energy-delay product in pJ x cycles.
double edp(Energy energy, u64 cycles);

}  // namespace heliolite::cli

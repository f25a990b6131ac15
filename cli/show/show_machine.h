#pragma once
// A machine as tables and as JSON: every number that its file, or the tables it names, come to.
#include <string>

#include "cli/ui/json.h"
#include "engine/formats/load_architecture.h"

namespace heliolite::cli {

// The presets of machines and of workloads, a line each.

std::string preset_tables();
void add_preset_lists(Json& answer);  // "machines" and "workloads" of docs/json.md

// "name", "description", "units", "technology_nm", "cycle_ns", "area_um2" (null: not known), "without_area".
Json machine_head_json(const Architecture& architecture);

std::string machine_summary(const Architecture& architecture);      // a row for each level
std::string machine_text(const ArchitectureSource& machine);        // every number, with where it is from
void add_machine(Json& answer, const ArchitectureSource& machine);  // "machine" and "numbers" of docs/json.md

}  // namespace heliolite::cli

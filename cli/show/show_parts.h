#pragma once
// What heliolite show says of a machine and of a network: tables, JSON, a picture, every number with its source.
#include <string>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "engine/formats/load_architecture.h"
#include "workloads/network.h"

namespace heliolite::cli {

std::string machine_svg(const Architecture& architecture);

// The presets of machines and of workloads, a line each.

std::string preset_tables();
void add_preset_lists(Json& answer);  // "machines" and "workloads" of docs/json.md

// "name", "description", "units", "technology_nm", "cycle_ns", "area_um2" (null: not known), "without_area".
Json machine_head_json(const Architecture& architecture);

std::string machine_summary(const Architecture& architecture);      // a row for each level
std::string machine_text(const ArchitectureSource& machine);        // every number, with where it is from
void add_machine(Json& answer, const ArchitectureSource& machine);  // "machine" and "numbers" of docs/json.md

std::string network_text(const Network& network);

// The names of its layers, one a line.
std::string layer_names(const Network& network);
void add_network(Json& answer, const Network& network);  // "macs", "layers", "inputs" and "edges" of docs/json.md

}  // namespace heliolite::cli

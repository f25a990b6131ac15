#pragma once
// Numbers of a design point's machine that constraints may use beside the parameters: area, capacities, compute units.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Their names: pes, area_um2, area_mm2, total_bytes; for every level LEVEL_words, LEVEL_bytes, LEVEL_area_um2 (of one
// instance) and LEVEL_instances. Characters of a level's name that an expression does not allow in names become '_'.
std::vector<std::string> derived_names(const ArchitectureSpec& machine);
// Their values in the same order; unbounded capacities are infinite.
std::vector<double> derived_values(const Architecture& machine);

// All names that constraints may use: the parameters, then derived_names().
std::vector<std::string> constraint_names(const SweepSpec& spec);

// Bytes of all instances of all bounded memories.
double total_capacity_bytes(const Architecture& machine);

}  // namespace heliolite

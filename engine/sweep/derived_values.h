#pragma once
// What follows from a design point's parameters and may be used in constraints: area, capacities, compute units.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// pes, area_um2, area_mm2, total_bytes; of every level LEVEL_words, LEVEL_bytes, LEVEL_area_um2 (of
// one instance) and LEVEL_instances. Characters of a level's name that no name of an expression has become '_'.
std::vector<std::string> derived_names(const ArchitectureSpec& machine);
// In the same order; unbounded capacities are infinite.
std::vector<double> derived_values(const Architecture& machine);

// What constraints may name: the parameters, then derived_names().
std::vector<std::string> constraint_names(const SweepSpec& spec);

// Bytes of all bounded memories, all instances.
double total_capacity_bytes(const Architecture& machine);

}  // namespace heliolite

#pragma once
// Where the energies, leakages and areas of a machine come from (docs/energy.md): what a file states itself comes
// first, then the reference tables, then the machine's energy model.
#include <string_view>

#include "arch/architecture_spec.h"

namespace heliolite {

enum class CostSource : u8 {
  None,       // nothing states it: it counts as 0
  Stated,     // a number in the file, or in the base it varies
  Reference,  // Accelergy's ERT or ART
  Pat,        // Timeloop's built-in table
  Table,      // arch/energy_tables.h
};

struct CostSources {
  CostSource energy = CostSource::None, leakage = CostSource::None, area = CostSource::None;
};

// Of a storage level of `machine`. What a word costs in an interconnect no model knows. Leakage comes with the energy
// unless it is stated; so does the area, unless the ART has it.
CostSources cost_sources(const LevelSpec& level, const ArchitectureSpec& machine, const ReferenceTables& tables);

// Of the compute units, whose leakage is not counted.
CostSources compute_cost_sources(const ArchitectureSpec& machine, const ReferenceTables& tables);

}  // namespace heliolite

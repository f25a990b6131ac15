#pragma once
// A machine with several compute units: a matrix array and a vector unit beside it, say. Each unit has a path of levels
// of its own from a level that all share. So each is a machine, a chain of levels over one kind of compute units
// (Architecture::chain), and whatever knows machines knows units. What stands beside a chain, the levels and compute
// units of the others, has area, and leaks while the chain works.
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture_spec.h"

namespace heliolite {

// Works out the chains of `spec.units`, and what stands beside each chain, into the machine, which is resolved
// otherwise.
Diagnostics resolve_units(const ArchitectureSpec& spec, const ReferenceTables& tables, Architecture& machine);

// What the chain of a unit states: the levels from the one that feeds it outwards, and its own.
Result<ArchitectureSpec> chain_spec(const ArchitectureSpec& machine, const UnitSpec& unit);

// Levels of a unit's chain that are the unit's own: the innermost ones.
std::size_t own_levels(const Architecture& machine, const Architecture& unit);

// All levels of all chains, each once: the machine's own, outermost first, then each unit's.
std::vector<const StorageLevel*> all_levels(const Architecture& machine);

// An error if the machine has several units: `who` knows one.
Diagnostics refuse_units(const Architecture& machine, std::string_view who);

}  // namespace heliolite

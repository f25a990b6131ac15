#pragma once
// One call for `-a`: a preset's name, or a file of ours or of Timeloop (flat, v0.3 tree, v0.4 nodes), told
// apart by content.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "arch/architecture_spec.h"
#include "engine/base/result.h"

namespace heliolite {

// Further files (an ERT or ART, constraints) may be joined by commas: "arch.yaml,ert.yaml".
Result<Architecture> load_architecture(const std::string& what);

// A preset or a file of ours with its bases followed, before energies are filled in: what a sweep varies.
Result<ArchitectureSpec> load_architecture_spec(const std::string& what);

// The reference tables that a machine of ours names.
Result<ReferenceTables> load_reference_tables(const ArchitectureSpec& spec);

std::vector<std::string> architecture_preset_names();  // sorted

}  // namespace heliolite

#pragma once
// Loads a machine from what `-a` is given: a preset's name, or a file of ours or of Timeloop (flat, v0.3 tree, v0.4
// nodes), told apart by content.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "arch/architecture_spec.h"
#include "engine/base/result.h"

namespace heliolite {

// The machine. Further files (an ERT or ART, constraints) may be joined by commas: "arch.yaml,ert.yaml". Errors have
// file and line; a name that is neither a preset nor a file is one, too.
Result<Architecture> load_architecture(const std::string& what);

// A preset or a file of ours as it is stated, with its bases followed: what a sweep varies.
Result<ArchitectureSpec> load_architecture_spec(const std::string& what);

// The reference tables (ERT, ART) that a machine of ours names.
Result<ReferenceTables> load_reference_tables(const ArchitectureSpec& spec);

std::vector<std::string> architecture_preset_names();  // sorted

}  // namespace heliolite

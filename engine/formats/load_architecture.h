#pragma once
// Loads a machine from what `-a` is given: a preset's name, or a file of ours or of Timeloop (flat, v0.3 tree, v0.4
// nodes), told apart by content.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "arch/architecture_spec.h"
#include "arch/cost_resolver.h"
#include "engine/base/result.h"
#include "engine/inputs/read_options.h"

namespace heliolite {

// The machine. Further files (an ERT or ART, constraints) may be joined by commas: "arch.yaml,ert.yaml". Errors have
// file and line; a name that is neither a preset nor a file is one, too. Architecture::notes says what was left out.
Result<Architecture> load_architecture(const std::string& what, const ReadOptions& options = {});
// The machine of a text that such a file could hold; `name` stands for the file in messages, and paths in the text are
// relative to it.
Result<Architecture> parse_architecture(std::string_view text, const std::string& name);

// A machine with what it was worked out from.
struct ArchitectureSource {
  Architecture architecture;
  std::optional<ArchitectureSpec> spec;  // none: the files are Timeloop's
  ReferenceTables tables;                // of a machine of ours
  std::vector<CostSources> level_costs;  // of Timeloop's files, innermost first
  CostSources compute_costs;
};
// load_architecture() and parse_architecture() for those who want to know where its numbers come from.
Result<ArchitectureSource> load_architecture_source(const std::string& what, const ReadOptions& options = {});
Result<ArchitectureSource> parse_architecture_source(std::string_view text, const std::string& name);

// A preset or a file of ours as it is stated, with its bases followed: what a sweep varies. A machine of Timeloop's
// files, joined by commas, is stated as it was read: all numbers, but for energies of the built-in table, which follow
// what is varied.
Result<ArchitectureSpec> load_architecture_spec(const std::string& what, const ReadOptions& options = {});

// What the source states, by the same rule. `name` stands for the file of Timeloop's machines in messages.
Result<ArchitectureSpec> stated_spec(const ArchitectureSource& source, const std::string& name);

// The reference tables (ERT, ART) that a machine of ours names.
Result<ReferenceTables> load_reference_tables(const ArchitectureSpec& spec, const ReadOptions& options = {});

// Fills in file and line of the level in complaints that have such a field and no file. `machine`: what
// load_architecture() was given. Of a Timeloop machine only the file is known.
Diagnostics at_their_levels(Diagnostics errors, const std::string& machine);

// Whether `what` is a preset's name or a file that describes a machine, which may have errors.
bool names_architecture(const std::string& what);

std::vector<std::string> architecture_preset_names();  // sorted

// Text of the preset "eyeriss" (file eyeriss.yaml).
std::optional<std::string_view> architecture_preset(std::string_view name);

}  // namespace heliolite

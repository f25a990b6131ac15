#pragma once
// Machines from Timeloop and Accelergy files, flat, v0.3 tree and v0.4 nodes, and as such files.
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "arch/cost_resolver.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/timeloop/form.h"

namespace heliolite {

// Machines from Timeloop and Accelergy files: flat, v0.3 tree, v0.4 nodes, with energy and area reference tables,
// constraints and variables in the same file or in others (docs/formats_timeloop.md).

// A map whose `architecture` has `storage`, `arithmetic`, `subtree` or `nodes`.
bool is_timeloop_architecture(const YamlNode& document);

// `documents`: the roots of one or more files, told apart by their top-level keys. Numbers are Timeloop's own (rules
// 1, 19-28 of docs/cost_model.md); mapspaces are too: a dimension goes to one axis of a fan-out. All errors at once;
// everything that is not understood is one, but for attributes and settings that Timeloop does not read either or that
// cost nothing: a note lists them, and another one says which energies no file states.
Result<Architecture> read_timeloop_architecture(const std::vector<YamlNode>& documents);

// The same, with where its costs come from.
struct TimeloopSource {
  Architecture architecture;
  std::vector<CostSources> level_costs;  // innermost first
  CostSources compute_costs;
};
Result<TimeloopSource> read_timeloop_source(const std::vector<YamlNode>& documents);

// Energies and areas of a machine for Accelergy and Timeloop: reference tables, and component classes with which the
// front end of v0.4, which always estimates, comes to the same numbers.

// A number that every reader of YAML takes for a floating-point one: 6400.0, 1.0e-09. Accelergy and its front end
// refuse integers, or texts, where they want these.
std::string yaml_float(double number);

// The class of a level and of the compute unit in v0.4 files, one of write_accelergy_classes(). Timeloop knows what a
// component is by the words in its class's name.
std::string accelergy_class(const Architecture& machine, int level);
inline constexpr std::string_view kComputeAccelergyClass = "intmac_units";

// The files of one machine; each is a whole YAML document.
struct TimeloopMachineFiles {
  std::string architecture;  // `architecture`, `variables`
  std::string constraints;   // "" when there are none
  std::string ert, art;      // energies and areas as numbers
  std::string components;    // v0.4: Accelergy classes that have these energies, for the front end; "" in v0.3
  Architecture machine;      // what they are read as
  Diagnostics notes;         // what the files do not say (form.h, and names that only a workload can resolve)
};

// Read together, the files give the machine of timeloop_form(): same costs, and but for the notes the same mapspaces.
// Constraints that depend on the workload (classes of dimensions, lists of what is allowed, levels without loops) are
// errors where the version has no words for them; engine/formats/timeloop/form.h replaces them.
Result<TimeloopMachineFiles> write_timeloop_architecture(const Architecture& architecture, TimeloopVersion version);

// The constraints alone, of a machine in the version's form.
Result<std::string> write_timeloop_constraints(const Architecture& machine, TimeloopVersion version,
                                               Diagnostics& notes);

}  // namespace heliolite

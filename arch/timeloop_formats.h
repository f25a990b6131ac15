#pragma once
// The three ways Timeloop files describe a machine; all give the same chain of components.
#include <string>
#include <vector>

#include "arch/timeloop_component.h"
#include "arch/timeloop_constraints.h"

namespace heliolite {

// The flat format: `arithmetic` and `storage`, the latter innermost first.
TimeloopMachine read_flat_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                  Diagnostics& errors);

// v0.2 and v0.3: nested `subtree`s with `local` components; names with ranges ("PE[0..167]") count instances.
TimeloopMachine read_tree_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                  Diagnostics& errors);

// v0.4: `nodes`, outermost first, told apart by tags. Where two fan-outs follow each other without a memory between
// them, the outer one ends at a level that keeps nothing, has no loops and costs nothing ("inter_PE_spatial").
TimeloopMachine read_nodes_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                   const KeepTargets& keeps, Diagnostics& errors);

}  // namespace heliolite

#pragma once
// Machines from Timeloop and Accelergy files: flat, v0.3 tree, v0.4 nodes, with energy and area reference tables,
// constraints and variables in the same file or in others (docs/formats_timeloop.md).
#include <vector>

#include "arch/architecture.h"
#include "arch/cost_resolver.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

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

}  // namespace heliolite

#pragma once
// Constraints of Timeloop files: lists of targets (architecture_constraints, constraints, mapspace_constraints) and
// the groups that v0.4 writes inside a component.
#include <map>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// Each reads one constraint map and adds it to the constraints that are there. What LevelConstraints cannot express is
// an error that names it, and so is a second constraint that contradicts the first.
void read_temporal_constraint(const YamlNode& node, LoopConstraints& constraints, Diagnostics& errors);
void read_spatial_constraint(const YamlNode& node, SpatialConstraints& constraints, Diagnostics& errors);
void read_keep_constraint(const YamlNode& node, KeepRule& keep, Diagnostics& errors);

// Complains about factors above 1 where `owner` has no fan-out: no mapping can have them. Timeloop's front end drops
// such a line of a container without a word, Timeloop itself stops at it. Anything else says nothing there.
void refuse_unrolling(const SpatialConstraints& constraints, const std::string& owner, const YamlNode& place,
                      Diagnostics& errors);

// Reads the value of a top-level constraints key into the levels of `architecture`: a list of targets, or a map with
// `targets` or `constraints`. Targets are storage levels by name or number (innermost = 0); spatial ones mean the
// fan-out below. With `nodes` (v0.4) spatial targets are instead the components and containers that own a fan-out
// (StorageLevel::fanout_name), or one of `without_fanout`, the nodes that have none. A least utilization is the
// machine's (Architecture::min_parallelism).
struct SpatialTargets {
  bool nodes = false;
  std::vector<std::string> without_fanout;
};
void read_constraint_targets(const YamlNode& node, const SpatialTargets& spatial, Architecture& architecture,
                             Diagnostics& errors);

// What lists of targets say about tensors, by target: v0.4 files may say there what the branches of a !Parallel keep.
// Mistakes are left to read_constraint_targets().
using KeepTargets = std::multimap<std::string, YamlNode>;
KeepTargets keep_targets(const std::vector<YamlNode>& lists);

}  // namespace heliolite

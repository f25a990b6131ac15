#pragma once
// Constraints of Timeloop files: lists of targets (architecture_constraints, constraints, mapspace_constraints) and
// the groups that v0.4 writes inside a component.
#include <functional>
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

// The dimensions whose factor may be above 1 by these constraints: those of `factors_only` that may have a loop.
std::vector<std::string> above_one(const std::vector<FactorConstraint>& factors);

// Reads the value of a top-level constraints key into the levels of `architecture`: a list of targets, or a map with
// `targets` or `constraints`. Targets are storage levels by name or number (innermost = 0); spatial ones mean the
// fan-out below. With `fanouts_by_owner` (v0.4) spatial targets are instead the components and containers that own a
// fan-out (StorageLevel::fanout_name).
void read_constraint_targets(const YamlNode& node, bool fanouts_by_owner, Architecture& architecture,
                             Diagnostics& errors);

}  // namespace heliolite

#pragma once
// AccelForge's mappings, trees of loops and storage nodes (LoopTree), as mappings of one layer or as schedules of
// networks whose layers are fused (docs/formats_accelforge.md).
#include <optional>
#include <string>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite::accelforge {

// Einsums that the tree computes.
std::size_t count_einsums(const YamlNode& root);

// The compute unit that the tree has the Einsum run on; nothing: it names none, or the Einsum is not there.
std::optional<YamlNode> named_unit(const YamlNode& root, const std::string& einsum);

// The mapping of one layer, as text of our own format. Errors, each with file, line and field: nodes that are not
// understood or have no counterpart, names that machine and layer do not have, tiles that do not divide, and loops
// above several Einsums.
Result<std::string> mapping_text(const YamlNode& root, const Workload& workload, const Architecture& machine);

// The schedule of a network, as text of our own format (docs/formats_schedule.md). Errors: as above; layers that the
// tree does not compute; fusing in more than one memory, or inside a fan-out.
Result<std::string> schedule_text(const YamlNode& root, const Network& network, const Architecture& machine);

}  // namespace heliolite::accelforge

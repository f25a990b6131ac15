#pragma once
// AccelForge's workloads, cascades of Einsums, as networks: a layer for each Einsum, called like it or like what it
// makes, with its rank variables as dimensions and its tensors by their names (docs/formats_accelforge.md).
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/inputs/read_options.h"
#include "workloads/network.h"

namespace heliolite::accelforge {

// The network. Copies are left out, which moves nothing: who reads a copy reads what was copied. Errors: those of
// read_cascade(), and what no workload of ours can be. With `on_edges` Einsums of one operand, of the same shape, are
// what lies on the way to their readers, and no layers.
Result<Network> read_workload(const YamlNode& root, const std::string& name, bool on_edges = false);

// The options with what stands behind '@', "BATCH_SIZE=1,DECODE=False", as names that templates know. Errors: no
// NAME=VALUE.
Result<ReadOptions> with_parameters(const ReadOptions& options, const std::optional<std::string>& parameters,
                                    const std::string& file);

}  // namespace heliolite::accelforge

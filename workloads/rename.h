#pragma once
// Other names for the dimensions of a network's layers.
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/inputs/read_options.h"
#include "workloads/network.h"

namespace heliolite {

// "K=M,C=K": K becomes M and C becomes K, all at once.
Result<std::vector<Rename>> parse_renames(const std::string& text);

// Renames the dimensions of a layer. Error, without a place, if two would have one name; then nothing is changed.
Diagnostics rename_dimensions(Workload& workload, std::span<const Rename> renames);

// Renames dimensions of all layers that have them; a name that no layer has is an error.
Diagnostics rename_dimensions(Network& network, std::span<const Rename> renames);

}  // namespace heliolite

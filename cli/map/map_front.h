#pragma once
// heliolite map --front: the curve on which a network's mappings trade energy for cycles, with its proof.
#include <string>
#include <vector>

#include "cli/map/map_proof.h"
#include "cli/ui/inputs.h"
#include "cli/ui/output.h"
#include "engine/search/core/options.h"

namespace heliolite::cli {

// What `--front` takes.
inline constexpr const char* kEnergyAndDelay = "energy,delay";

// The exit code of the command. `--csv` of the output takes the points. `notes`: what was said of the inputs.
int run_front(const Inputs& inputs, SearchOptions options, const ProofArguments& proof, std::vector<std::string> notes,
              const Output& output);

}  // namespace heliolite::cli

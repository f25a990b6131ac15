#pragma once
// heliolite map of a network as a whole: --fuse, the schedule, its layers fused or not, that is best for the network's
// objective; --front, the curve on which its mappings trade energy for cycles, with its proof.
#include <string>
#include <vector>

#include "cli/map/map_proof.h"
#include "cli/ui/inputs.h"
#include "cli/ui/output.h"
#include "engine/formats/load_network.h"
#include "engine/search/core/options.h"

namespace heliolite::cli {

struct FusedArguments {
  std::string architecture, workload;
  bool incremental_softmax = false;
  ReadOptions reading;
};

// The exit code of the command. `--schedule` of the output takes the file that eval and explain read.
int run_fused(const FusedArguments& arguments, SearchOptions options, const Output& output);

// What `--front` takes.
inline constexpr const char* kEnergyAndDelay = "energy,delay";

// The exit code of the command. `--csv` of the output takes the points. `notes`: what was said of the inputs.
int run_front(const Inputs& inputs, SearchOptions options, const ProofArguments& proof, std::vector<std::string> notes,
              const Output& output);

}  // namespace heliolite::cli

#pragma once
// heliolite map --fuse: the schedule of a network, its layers fused or not, that is best for the network's objective.
#include <string>

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

}  // namespace heliolite::cli

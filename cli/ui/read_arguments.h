#pragma once
// Options that say how input files are read: --sparse, --define, --rename.
#include <string>
#include <vector>

#include "cli/ui/command.h"
#include "engine/base/result.h"
#include "engine/inputs/read_options.h"
#include "workloads/network.h"

namespace heliolite::cli {

struct ReadArguments {
  std::string sparse;
  std::vector<std::string> defines, renames;

  void add_to(CLI::App& command);

  Result<ReadOptions> options() const;
  // The network with the names of its dimensions changed.
  Diagnostics rename(Network& network) const;
};

// Prints what was read otherwise than it is written, one note a line.
void tell(const std::vector<std::string>& notes, const Output& output);

}  // namespace heliolite::cli

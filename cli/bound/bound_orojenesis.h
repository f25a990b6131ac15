#pragma once
// heliolite bound --kind orojenesis: the least accesses for every buffer size.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/bound/bound_unit.h"
#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/fusion/fusion.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// The options as they were given; texts are the names of enumerators.
struct OrojenesisArguments : CapacityArguments {
  std::string architecture, workload, layer;
  ReadOptions reading;     // how both are read
  bool imperfect = false;  // also tiles that do not divide the sizes
  bool nested = false;     // any number of levels instead of one buffer
  bool fuse = false;       // the whole network, with fused layers
  bool map = false;        // also what the mapper's mapping holds and moves
  bool all = false;        // all points in the table
  std::string counts = "distinct";
  std::string partial_sums = "read_back";
  std::string softmax = "incremental", pairs = "all", execution = "sequential";
  bool perfect_blocks = false, whole_weights = false, stream_weights = false;
  std::string chip;  // file or keys of a chip to divide
  u64 sample = 0;    // random mappings of the machine to show; 0: none
  u64 seed = 1;      // of them
  std::string csv, svg;
};

// Whether the curve of a layer is that of any levels of storage.
inline bool of_any_levels(const OrojenesisArguments& arguments) { return arguments.nested || arguments.sample > 0; }

// Adds the options that only this kind has to the command.
void add_orojenesis_options(CLI::App& command, Output& output, OrojenesisArguments& arguments);

// Answers and returns the exit code.
int run_orojenesis(OrojenesisArguments arguments, const Output& output);

}  // namespace heliolite::cli

#pragma once
// heliolite bound --kind orojenesis: the least accesses for every buffer size.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/fusion/fusion.h"

namespace heliolite::cli {

struct OrojenesisArguments {
  std::string architecture, workload, layer;
  bool imperfect = false;
  bool nested = false;  // any number of levels instead of one buffer
  bool fuse = false;
  bool map = false;  // also the pairs of the mapper's mapping
  bool all = false;  // all points in the table
  std::string counts = "distinct";
  std::string partial_sums = "read_back";
  std::vector<std::string> word_sizes;  // "A=2"
  std::optional<double> word_bytes;     // in a word of any tensor
  std::vector<u64> buffers;             // capacities to answer for
  std::string softmax = "incremental", pairs = "all", execution = "sequential";
  bool perfect_blocks = false, whole_weights = false, stream_weights = false;
  std::string csv, svg;
};

// The options that only this kind has.
void add_orojenesis_options(CLI::App& command, Output& output, OrojenesisArguments& arguments);

int run_orojenesis(const OrojenesisArguments& arguments, const Output& output);

}  // namespace heliolite::cli

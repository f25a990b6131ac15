#pragma once
// heliolite bound --regions: the tiling program of a layer for all sizes and capacities, region by region.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// The options as they were given.
struct RegionArguments {
  bool given = false;
  std::vector<std::string> axes;  // of the picture: two parameters
  std::string workload, layer, svg;
  ReadOptions reading;          // how the workload is read
  std::optional<u64> capacity;  // of the picture, in words; none: it is an axis
};

// Adds the options that only --regions has to the command.
void add_region_options(CLI::App& command, RegionArguments& arguments);

// Answers and returns the exit code.
int run_regions(const RegionArguments& arguments, const Output& output);

}  // namespace heliolite::cli

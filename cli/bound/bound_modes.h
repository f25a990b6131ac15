#pragma once
// Forms of heliolite bound that answer by themselves: experiments, programs in C, regions of capacities.
#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/bounds/hbl/hbl_tile.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// Runs the experiment and returns the exit code: kNegative if a number is outside its tolerance.
int run_experiment(const std::string& path, const Output& output);

// The options as they were given.
struct ProgramArguments {
  std::string file;
  std::vector<std::string> parameters;  // "N=1000"
  std::vector<std::string> without;     // rules
  std::vector<u64> buffers;             // words
  bool symbolic = false;
  bool csv = false;
  std::optional<double> word_bytes;  // bytes in every word, for people
  std::optional<double> budget;      // seconds
};

// Adds the options that only programs have to the command.
void add_program_options(CLI::App& command, ProgramArguments& arguments);

// Answers and returns the exit code.
int run_program(const ProgramArguments& arguments, const Output& output);

// A picture of the regions of a tiling program over two of its parameters.

struct RegionPicture {
  std::string title;
  std::array<std::string, 2> axes;       // names of the parameters drawn to the right and upwards
  std::array<std::size_t, 2> parameter;  // their indices in a point
  std::vector<double> point;             // binary logarithms of the capacity and the sizes; those drawn do not matter
  std::vector<std::string> fixed;        // "K = 64": what is not drawn
};

// A corner in binary logarithms of the two parameters.
using PlotCorner = std::array<double, 2>;

// The corners of the part of a region that the picture shows, 1 to 2^20 on both axes; none if it shows nothing of it.
std::vector<PlotCorner> visible_part(const RegionPicture& picture, const TileRegion& region);

// An SVG document: one area for each region, one colour for each cost.
std::string regions_svg(const RegionPicture& picture, const TileRegions& regions, const AccessNest& nest);

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

#pragma once
// Forms of heliolite bound that answer by themselves: experiments, programs in C, regions of capacities.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/output.h"
#include "engine/base/types.h"
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

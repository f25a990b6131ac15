#pragma once
// Forms of heliolite bound that answer by themselves: experiments, programs in C, regions of capacities.
#include <optional>
#include <string>
#include <vector>

#include "cli/bound/bound_curves.h"
#include "cli/ui/command.h"
#include "cli/ui/output.h"
#include "engine/base/types.h"

namespace heliolite::cli {

// Runs the experiment and returns the exit code: kNegative if a number is outside its tolerance.
int run_experiment(const std::string& path, const Output& output);

// The options as they were given.
struct ProgramArguments : BoundQuestion {
  std::vector<std::string> parameters;  // "N=1000"
  std::vector<std::string> without;     // rules
  bool symbolic = false;
  std::optional<double> budget;  // seconds
};

// Adds the options that only programs have to the command.
void add_program_options(const Command& command, ProgramArguments& arguments);

// Answers and returns the exit code.
int run_program(const ProgramArguments& arguments, const Output& output);

// The options as they were given.
struct RegionArguments : BoundQuestion {
  bool given = false;
  std::vector<std::string> axes;  // of the picture: two parameters
  std::string svg;
  std::optional<u64> capacity;  // of the picture, in words; none: it is an axis
};

// Adds the options that only --regions has to the command.
void add_region_options(const Command& command, RegionArguments& arguments);

// Answers and returns the exit code.
int run_regions(const RegionArguments& arguments, const Output& output);

}  // namespace heliolite::cli

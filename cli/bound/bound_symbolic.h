#pragma once
// heliolite bound --kind hbl, conv, iolb or all: bounds over all schedules, and the best tilings against them.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/bound/bound_unit.h"
#include "cli/ui/output.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// The options as they were given.
struct SymbolicArguments : CapacityArguments {
  std::string architecture, workload, layer;
  ReadOptions reading;        // how both are read
  std::string kind;           // one of symbolic_kinds()
  bool loads = false;         // count loads alone
  bool outputs_read = false;  // outputs start as words to be read
  bool simulate = false;      // execute the best tilings
};

std::vector<std::string> symbolic_kinds();  // "all", "hbl", "conv", "iolb"

// Adds the options that only these kinds have to the command.
void add_symbolic_options(CLI::App& command, SymbolicArguments& arguments);

// Answers and returns the exit code.
int run_symbolic(SymbolicArguments arguments, const Output& output);

}  // namespace heliolite::cli

#pragma once
// heliolite bound --kind hbl, conv, iolb or all: bounds over all schedules, and the best tilings against them.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/output.h"
#include "engine/base/types.h"

namespace heliolite::cli {

struct SymbolicArguments {
  std::string architecture, workload, layer;
  std::string kind;                     // one of symbolic_kinds()
  std::vector<u64> buffers;             // capacities to answer for
  std::vector<std::string> word_sizes;  // "A=2"
  std::optional<double> word_bytes;     // in a word of any tensor
  bool loads = false;
  bool outputs_read = false;
};

std::vector<std::string> symbolic_kinds();  // "all", "hbl", "conv", "iolb"

// The options that only these kinds have.
void add_symbolic_options(CLI::App& command, SymbolicArguments& arguments);

int run_symbolic(const SymbolicArguments& arguments, const Output& output);

}  // namespace heliolite::cli

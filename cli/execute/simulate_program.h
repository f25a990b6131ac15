#pragma once
// simulate -w KERNEL.c: what caches move when an affine program runs in the order of its text.
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/output.h"
#include "engine/execution/cache_bank.h"

namespace heliolite::cli {

struct SimulatedProgram {
  std::string file;
  std::vector<std::string> parameters;  // "N=30"
  std::vector<SimulatedCache> caches;   // those of one capacity one after the other, the same policies for each
  std::size_t policies = 1;
  std::optional<double> budget;  // seconds
};

// Answers and returns the exit code.
int run_simulated_program(const SimulatedProgram& question, const Output& output);

}  // namespace heliolite::cli

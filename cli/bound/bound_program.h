#pragma once
// heliolite bound -w KERNEL.c: what no schedule of an affine program can beat. What it means: docs/affine.md.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/output.h"
#include "engine/base/types.h"

namespace heliolite::cli {

// The options as they were given.
struct ProgramArguments {
  std::string file;
  std::vector<std::string> parameters;  // "N=1000"
  std::vector<std::string> without;     // rules
  std::vector<u64> buffers;             // words
  bool symbolic = false;
  bool csv = false;
  std::optional<double> word_bytes;  // of every word, for people
  std::optional<double> budget;      // seconds
};

// Adds the options that only programs have to the command.
void add_program_options(CLI::App& command, ProgramArguments& arguments);

// Answers and returns the exit code.
int run_program(const ProgramArguments& arguments, const Output& output);

}  // namespace heliolite::cli

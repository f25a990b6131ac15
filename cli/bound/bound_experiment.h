#pragma once
// heliolite bound --experiment FILE: compares published numbers on curves with ours. Format: docs/orojenesis.md.
#include <string>

#include "cli/ui/output.h"

namespace heliolite::cli {

// Runs the experiment and returns the exit code: kNegative if a number is outside its tolerance.
int run_experiment(const std::string& path, const Output& output);

}  // namespace heliolite::cli

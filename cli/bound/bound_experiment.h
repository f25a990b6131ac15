#pragma once
// heliolite bound --experiment FILE: published numbers on curves against ours. Format: docs/orojenesis.md.
#include <string>

#include "cli/ui/output.h"

namespace heliolite::cli {

// Exit code kNegative when a number is outside its tolerance.
int run_experiment(const std::string& path, const Output& output);

}  // namespace heliolite::cli

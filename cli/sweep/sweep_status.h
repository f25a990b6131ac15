#pragma once
// heliolite sweep --status DB: how far a sweep is and what it has found, while it runs or afterwards.
#include <string>

#include "cli/ui/output.h"

namespace heliolite::cli {

// Prints the status and returns the exit code.
int run_sweep_status(const std::string& database, const Output& output);

}  // namespace heliolite::cli

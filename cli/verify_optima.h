#pragma once
// heliolite verify on a file of proven optima.
#include <string>

#include "cli/output.h"
#include "engine/verify/optima_verify.h"

namespace heliolite::cli {

// Searches all records, prints the report; returns the exit code.
int run_verify_optima(const std::string& file, OptimaOptions options, const Output& output);

}  // namespace heliolite::cli

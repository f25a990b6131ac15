#pragma once
// simulate -a A -m FILE: what every level moves when a mapping is executed.
#include "cli/execute/executed_nest.h"
#include "cli/ui/output.h"

namespace heliolite::cli {

// Answers and returns the exit code. `arguments` has a machine and a mapping.
int run_mapping(const NestArguments& arguments, const Output& output);

}  // namespace heliolite::cli

#pragma once
// `heliolite verify` on a file of proven optima.
#include <string>

#include "cli/ui/output.h"
#include "cli/verify/verify_text.h"
#include "engine/verify/optima_verify.h"

namespace heliolite::cli {

// Searches all records of the file. After Ctrl-C those that were not searched are skipped.
Result<VerifiedFile> check_optima(const std::string& file, OptimaOptions options, const Output& output);

}  // namespace heliolite::cli

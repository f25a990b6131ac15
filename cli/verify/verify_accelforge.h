#pragma once
// `heliolite verify` on a file of AccelForge's recorded results.
#include <string>

#include "cli/ui/output.h"
#include "cli/verify/verify_optima.h"
#include "engine/verify/accelforge_record.h"
#include "engine/verify/accelforge_verify.h"

namespace heliolite::cli {

// Searches all cases of the file, and says of the first `shown` that differ where; a case matches where ours is equal
// or below. After Ctrl-C the rest is skipped.
Result<VerifiedFile> check_forge(const std::string& file, ForgeOptions options, u64 shown, const Output& output);

}  // namespace heliolite::cli

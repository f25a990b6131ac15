#pragma once
// `heliolite verify` on a file of proven optima.
#include <string>

#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/verify/accelforge_verify.h"
#include "engine/verify/golden_verify.h"
#include "engine/verify/optima_verify.h"

namespace heliolite::cli {

// The tallies and mismatches of both kinds of `heliolite verify` as text and as JSON.

// The answer for one file of records.
struct VerifiedFile {
  std::string text;  // for people
  Json answer;       // without the head of an answer
  VerifyTally total;
};

Json selection_json(const std::string& file, const RecordSelection& selection);  // {"file", "mode", "id", "limit"}
Json tally_json(const VerifyTally& tally);                                       // {"matched", "mismatched", "skipped"}
Json mismatch_json(const Mismatch& mismatch);  // {"id", "line", "differences": [..], "refused"}
// The number of mismatches, in colour if there are any.
std::string mismatched_text(const VerifyTally& tally, const std::string& number);
std::string mismatch_text(const std::string& file, const Mismatch& mismatch);

// "3 more records differ; --show 8 prints them" if more records differ than the `shown` ones; else empty.
std::string unseen_text(const VerifyTally& total, std::size_t shown);

// Searches all records of the file. After Ctrl-C those that were not searched are skipped.
Result<VerifiedFile> check_optima(const std::string& file, OptimaOptions options, const Output& output);

// Searches all cases of the file, and says of the first `show` that differ where; a case matches where ours is equal
// or below. After Ctrl-C the rest is skipped.
Result<VerifiedFile> check_forge(const std::string& file, ForgeOptions options, const Output& output);

}  // namespace heliolite::cli

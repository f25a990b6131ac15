#pragma once
// What both kinds of verify print and write of their tallies and mismatches.
#include <string>

#include "cli/ui/json.h"
#include "engine/verify/golden_verify.h"

namespace heliolite::cli {

// What is said of one file of records; the JSON without the head of an answer.
struct VerifiedFile {
  std::string text;
  Json answer;
  VerifyTally total;
};

Json tally_json(const VerifyTally& tally);     // {"matched", "mismatched", "skipped"}
Json mismatch_json(const Mismatch& mismatch);  // {"id", "line", "differences": [..], "refused"}
std::string mismatch_text(const std::string& file, const Mismatch& mismatch);

// "3 more records differ; --show 8 prints them" or nothing.
std::string unseen_text(const VerifyTally& total, std::size_t shown);

}  // namespace heliolite::cli

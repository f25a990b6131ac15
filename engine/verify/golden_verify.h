#pragma once
// Runs a file of recorded Timeloop runs through the cost model, record by record.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/verify/golden_compare.h"

namespace heliolite {

// Which records are verified.
struct VerifyOptions {
  std::optional<std::string> mode;  // only records of this mode
  std::optional<std::string> id;    // only this record
  std::optional<u64> limit;         // at most this many records, skipped ones included
  u64 show = 5;                     // keep this many mismatched records with their differences
};

// Numbers of records.
struct VerifyTally {
  u64 matched = 0;
  u64 mismatched = 0;
  u64 skipped = 0;
};

// A record that does not match.
struct Mismatch {
  std::string id;
  int line = 0;                         // in the file
  std::string refused;                  // why the mapping is not legal for us; empty: it is
  std::vector<Difference> differences;  // of the costs
};

// The outcome for one file.
struct VerifyReport {
  VerifyTally total;
  std::map<std::string, VerifyTally> by_mode;  // [GoldenRecord::mode]
  std::map<std::string, u64> skip_reasons;     // [reason]: records skipped for it
  std::vector<Mismatch> mismatches;            // the first `show`
};

// Verifies the records of a file. Machines are in arch/, problems in problem/ beside it, each is read once. Errors: no
// such file, no records, malformed lines (file:line, at most 20 of them), a machine or problem that cannot be read.
Result<VerifyReport> verify_golden(const std::string& path, const VerifyOptions& options);

}  // namespace heliolite

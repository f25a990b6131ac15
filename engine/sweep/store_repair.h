#pragma once
// Repairs a damaged database: makes a new one of the rows that are as they were written.
#include <atomic>
#include <string>

#include "engine/base/result.h"
#include "engine/sweep/records.h"

namespace heliolite {

// What a repair did.
struct StoreRepair {
  bool repaired = false;       // there was damage
  u64 points = 0, layers = 0;  // rows that were kept
  std::string damaged_copy;    // where the damaged file is now
};

// Keeps the rows whose checksums say that they are rows of `sweep`, and the points that have all their layers; what is
// lost is searched again by a run that resumes. The database is replaced when all is done; the damaged file stays
// beside it under another name. Does nothing if there is no file, or no damage. Errors: another sweep, somebody writes
// it, tables without checksums, not one row can be read, `stop` was set (the database is then as it was).
Result<StoreRepair> repair_store(const std::string& path, const SweepRecord& sweep,
                                 const std::atomic<bool>* stop = nullptr);

}  // namespace heliolite

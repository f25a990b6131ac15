#pragma once
// A sweep whose parameters take more values than when its database was made: the rows of the points that both grids
// have are taken over under their new numbers, so that only the points that are new are left to do.
#include <atomic>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

struct GrownStore {
  bool grown = false;                 // the database was that of a smaller grid
  u64 points = 0, layers = 0;         // rows that were taken over
  std::string old_copy;               // where the database of the smaller grid is now
  std::vector<std::string> warnings;  // Store::warnings() of what was there
};

// If the database holds the sweep `spec` but for values that its parameters did not have by then, it is replaced by one
// of `sweep`, the record of `spec`, with all rows of it; the old file stays beside it under another name. `file`: of
// the sweep, for the files that its text names. Does nothing if there is no file, if it holds this sweep, or another
// one (to open it then says so). Errors: it is a shard or a sample of the smaller grid, or a shard is asked for;
// damage, somebody writes it, `stop` was set (the database is then as it was).
Result<GrownStore> grow_store(const std::string& path, const SweepSpec& spec, const SweepRecord& sweep,
                              const std::string& file, const std::atomic<bool>* stop = nullptr);

}  // namespace heliolite

#pragma once
// Databases made anew of the rows of others: the results of shards in one, as if one run had written them; the good
// rows of a damaged one; those of a sweep whose parameters took fewer values.
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// A database whose rows went into the result.
struct MergedShard {
  std::string path;
  u64 shard = 0, shards = 1;
  u64 points = 0;         // rows of points in it
  bool finished = false;  // the last run on it left nothing to do
  bool whole = false;     // it is of all points of the sweep, no shard and no list of points
};

// What a merge found and wrote.
struct MergeResult {
  std::vector<MergedShard> inputs;    // the shards in the order given; first the old `out`, if it existed
  std::vector<std::string> warnings;  // Store::warnings() of the inputs
  std::vector<u64> missing;    // shards that are not among the inputs; empty if they were not cut into equally many
  u64 points = 0, layers = 0;  // rows of the result
  u64 planned_points = 0;      // of the whole sweep
  bool interrupted = false;    // asked to stop: nothing was written, and nothing else is said here

  // Whether nothing is left to do: every point has a row, or, of large sweeps whose constraints leave points without
  // one, the whole or each of its shards is among the inputs and was finished.
  bool complete() const;
};

// Writes all rows of the shards to the database `out`, and keeps those that it has if it exists. The order does not
// matter; rows that are equal apart from their seconds become one. `out` is replaced when all is done, so that a
// program that is killed meanwhile, or asked to `stop`, leaves it as it was. Errors: a shard of another sweep, rows
// that contradict each other (both named), those of Store.
Result<MergeResult> merge_shards(const std::string& out, std::span<const std::string> shards,
                                 const std::atomic<bool>* stop = nullptr);

// What a repair did.
struct StoreRepair {
  bool repaired = false;              // there was damage
  u64 points = 0, layers = 0;         // rows that were kept
  std::string damaged_copy;           // where the damaged file is now
  std::vector<std::string> warnings;  // Store::warnings() of what was there: only who opens it first finds out
};

// Keeps the rows whose checksums say that they are rows of `sweep`, and the points that have all their layers; what is
// lost is searched again by a run that resumes. The database is replaced when all is done; the damaged file stays
// beside it under another name. Does nothing if there is no file, or no damage. Errors: another sweep, somebody writes
// it, tables without checksums, not one row can be read, `stop` was set (the database is then as it was).
Result<StoreRepair> repair_store(const std::string& path, const SweepRecord& sweep,
                                 const std::atomic<bool>* stop = nullptr);

// A sweep whose parameters take more values than when its database was made: the rows of the points that both grids
// have are taken over under their new numbers, so that only the points that are new are left to do.

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

#pragma once
// The results of shards in one database, as if one run had written them.
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

// A database whose rows went into the result.
struct MergedShard {
  std::string path;
  u64 shard = 0, shards = 1;
  u64 points = 0;         // rows of points in it
  bool finished = false;  // the last run on it left nothing to do
};

// What a merge found and wrote.
struct MergeResult {
  std::vector<MergedShard> inputs;    // the shards in the order given; first the old `out`, if it existed
  std::vector<std::string> warnings;  // Store::warnings() of the inputs
  std::vector<u64> missing;    // shards that are not among the inputs; empty if they were not cut into equally many
  u64 points = 0, layers = 0;  // rows of the result
  u64 planned_points = 0;      // of the whole sweep
  bool interrupted = false;    // asked to stop: nothing was written, and nothing else is said here

  bool complete() const { return points >= planned_points; }
};

// Writes all rows of the shards to the database `out`, and keeps those that it has if it exists. The order does not
// matter; rows that are equal apart from their seconds become one. `out` is replaced when all is done, so that a
// program that is killed meanwhile, or asked to `stop`, leaves it as it was. Errors: a shard of another sweep, rows
// that contradict each other (both named), those of Store.
Result<MergeResult> merge_shards(const std::string& out, std::span<const std::string> shards,
                                 const std::atomic<bool>* stop = nullptr);

}  // namespace heliolite

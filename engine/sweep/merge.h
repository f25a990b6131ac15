#pragma once
// The results of shards in one database, as if one run had written them.
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

struct MergedShard {
  std::string path;
  u64 shard = 0, shards = 1;
  u64 points = 0;         // rows
  bool finished = false;  // the last run on it left nothing to do
};

struct MergeResult {
  std::vector<MergedShard> inputs;    // as given, and before them the database that was there
  std::vector<std::string> warnings;  // Store::warnings() of the inputs
  std::vector<u64> missing;    // shards that are not among the inputs; empty if they were not cut into equally many
  u64 points = 0, layers = 0;  // rows of the result
  u64 planned_points = 0;      // of the whole sweep

  bool complete() const { return points >= planned_points; }
};

// Writes `out`: all rows of the shards and, if it exists, its own. The order does not matter, rows that are equal apart
// from seconds become one. `out` is replaced when all is done, so a program that is killed here leaves it as it was.
// Errors: a shard of another sweep, rows that contradict each other (both named), what Store has.
Result<MergeResult> merge_shards(const std::string& out, std::span<const std::string> shards);

}  // namespace heliolite

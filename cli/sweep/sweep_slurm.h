#pragma once
// heliolite sweep FILE --slurm N: the sweep as an array job of Slurm (docs/slurm.md).
#include <string>
#include <vector>

#include "cli/ui/output.h"
#include "engine/base/types.h"

namespace heliolite::cli {

inline constexpr u64 kMaxSlurmShards = 100'000;

// What the script is made from.
struct SlurmSweep {
  std::string name;                  // of the sweep
  std::string file;                  // the sweep's file
  std::string database;              // for all results; the script and the folder of the shards stand beside it
  u64 shards = 1;                    // tasks of the array
  int threads = 0;                   // of a shard; 0: as many as the cluster gives a task by itself
  std::vector<std::string> options;  // further options of `heliolite sweep`, as given: "--objective", "energy"
};

// Writes the script, whose name is that of the database with the ending ".sbatch", and prints how to submit it. Returns
// the exit code.
int write_slurm_script(const SlurmSweep& sweep, const Output& output);

}  // namespace heliolite::cli

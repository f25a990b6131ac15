#pragma once
// heliolite sweep FILE --slurm N: the sweep as an array job of Slurm (docs/slurm.md).
#include <string>
#include <vector>

#include "cli/ui/output.h"
#include "engine/base/types.h"

namespace heliolite::cli {

inline constexpr u64 kMaxSlurmShards = 100'000;

struct SlurmSweep {
  std::string name;                  // of the sweep
  std::string file;                  // with its question
  std::string database;              // for all results; the script and the folder of the shards stand beside it
  u64 shards = 1;                    // tasks of the array
  int threads = 0;                   // of a shard; 0: what the cluster gives a task by itself
  std::vector<std::string> options;  // of `heliolite sweep` as they were given, "--objective", "energy"
};

// Writes DATABASE without its ending + ".sbatch" and says how to submit it.
int write_slurm_script(const SlurmSweep& sweep, const Output& output);

}  // namespace heliolite::cli

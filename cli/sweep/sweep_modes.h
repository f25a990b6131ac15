#pragma once
// What heliolite sweep does besides running: array jobs of Slurm, and how far a sweep is.
#include <optional>
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
  // Where the points of each shard are listed ("1.points", ..), beside which its database and log stand then; "": the
  // shards are parts of the whole, in a folder that is made.
  std::string points{};
};

// Writes the script, whose name is that of the database, or of the folder of the points, with the ending ".sbatch".
// Returns its name; none after complaining: a name that cannot stand in a script, a file that cannot be written.
std::optional<std::string> write_slurm_script(const SlurmSweep& sweep, const Output& output);
// heliolite sweep --slurm: writes the script, prints how to submit it, and returns the exit code.
int run_sweep_slurm(const SlurmSweep& sweep, const Output& output);

// heliolite sweep --export DB: writes the rows of a results database for other programs, as CSV, as JSON, as a line of
// JSON a point; the mappings of the best points and of the front as files.

// The options of --export.
struct SweepExport {
  std::string database;
  std::string points_csv, layers_csv, lines;  // files, "-" = stdout, "" = not wanted
  std::string mappings;                       // a folder
};

// Writes the files and, with --json, all points and layers as JSON. Returns the exit code.
int run_sweep_export(const SweepExport& arguments, const Output& output);

// Prints the status and returns the exit code.
int run_sweep_status(const std::string& database, const Output& output);

}  // namespace heliolite::cli

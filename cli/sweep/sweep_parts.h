#pragma once
// The parts of `heliolite sweep`, `merge` and `report`: databases that are read, what is asked besides the file, the
// answer as tables, JSON and proofs, array jobs of Slurm, and how far a sweep is.
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/output.h"
#include "engine/base/text.h"
#include "engine/base/types.h"
#include "engine/sweep/front.h"
#include "engine/sweep/merge.h"
#include "engine/sweep/records.h"
#include "engine/sweep/store.h"
#include "engine/sweep/sweep_spec.h"
#include "engine/sweep/sweep_yaml.h"

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

// The answer of a sweep, as tables and as JSON: the same at the end of the sweep and from its database later.

// Best points, Pareto front, layers of the best point, and what became of the others.
std::string sweep_tables(const SweepRecord& sweep, const SweepSummary& summary,
                         const std::vector<LayerRecord>& layers_of_best);

// The answer's "question": what the command was given, what the sweep asks, and `more`.
Json asked_json(Json given, const SweepRecord& sweep, const Json& more = Json::object());

// Appends "counts", "reasons", "best", "front" and "layers" of docs/json.md to `answer`.
void add_sweep_answer(Json& answer, const SweepRecord& sweep, const SweepSummary& summary,
                      const std::vector<LayerRecord>& layers_of_best);

// heliolite sweep --proofs: a proof for each layer of the best points, which a small program of its own can check.
// Files that an earlier run has written stay.

struct SweepProofs {
  Json points = Json::array();  // of each best point its layers, with the file or why there is none
  u64 files = 0, without = 0;   // layers with a proof; without one
  bool is_right = true;         // false: a proof shows an error of the program
};

// Why there are no proofs of a sweep's answers; empty if there are.
std::string proofs_refused(const SweepSpec& spec);

// Writes FOLDER/POINT/WORKLOAD-LAYER.proof.gz for the layers of the summary's best points, until somebody asks to stop.
// Errors: those of the store.
Result<SweepProofs> write_sweep_proofs(const SweepSpec& spec, const Store& store, const SweepSummary& summary,
                                       const std::string& folder, const Output& output);

// What a command is asked of a sweep besides its file: options that stand in place of what the file says.

class SweepQuestion {
 public:
  void add_to(const Command& command);

  SweepOverrides overrides() const;
  // The options that were given, for another command line: "--objective", "energy".
  std::vector<std::string> words() const;

 private:
  std::string goal_, rank_;
  std::optional<u64> sample_, explored_;
  std::optional<double> budget_;  // seconds of the whole sweep
  SearchArguments search_;
  ReadOptions reading_;  // of the machine and the workloads
};

// Databases of sweeps that a command reads: warnings as notes, and Ctrl-C ends the reading.

// Prints each of Store::warnings() as a line on standard error, unless --quiet.
inline void note_warnings(const std::vector<std::string>& warnings, const Output& output) {
  for (const std::string& warning : warnings) output.note("heliolite: " + warning);
}

// Says what was taken over from a smaller grid, if anything was.
inline void note_grown(const GrownStore& grown, const std::string& path, const Output& output) {
  if (!grown.grown) return;
  note_warnings(grown.warnings, output);
  output.note(fmt::format(
      "heliolite: {} was of a smaller grid: {} points and {} layers of it are taken over; the old file is {}", path,
      grouped(grown.points), grouped(grown.layers), grown.old_copy));
}

// Opens a database to read. After Ctrl-C whatever reads it ends with errors.
inline Result<Store> open_to_read(const std::string& path, const Output& output) {
  Result<Store> store = Store::read(path, &interrupt_flag());
  if (store) note_warnings(store->warnings(), output);
  return store;
}

// Prints the errors and returns the exit code; Ctrl-C makes errors too.
inline int fail_reading(const Diagnostics& errors) {
  const int code = fail(errors);
  return interrupt_flag() ? kInterrupted : code;
}

}  // namespace heliolite::cli

#pragma once
// Searches the mapspace of every record of a file of proven optima and compares what is found.
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "engine/model/mapping.h"
#include "engine/search/core/objective.h"
#include "engine/search/core/strategy.h"
#include "engine/verify/golden_verify.h"
#include "workloads/workload.h"

namespace heliolite {

// Which records are verified, and by which search.
struct OptimaOptions : RecordSelection {
  Strategy strategy = Strategy::Exact;      // one that proves nothing must still reach the optimum
  int threads = 0;                          // number of records searched side by side; 0 = every core
  std::optional<double> budget_seconds;     // for the search of one record; none: no limit
  const std::atomic<bool>* stop = nullptr;  // when it is set, records that are not searched yet are skipped
  // Called when a record is done, by one thread at a time; first with done = 0.
  std::function<void(u64 done, u64 of, u64 mismatched)> progress;
};

// Numbers of records, and of what their searches did.
struct OptimaTally : VerifyTally {
  u64 proven = 0;      // records whose search covered the mapspace
  double seconds = 0;  // of all searches together
};

// The outcome for one file.
struct OptimaReport {
  OptimaTally total;
  std::map<std::string, OptimaTally> by_set, by_machine, by_objective;
  double slowest_seconds = 0;               // of the slowest search
  std::string slowest_id;                   // its record
  std::map<std::string, u64> skip_reasons;  // [reason]: records skipped for it
  std::map<std::string, u64> notes;         // [what had to be assumed]: records
  std::vector<Mismatch> mismatches;         // the first `show`, in the file's order
};

// Whether the first record of the file is a proven optimum (it has the key `optimum`).
bool holds_optima(const std::string& path);

// Verifies the records of a file. A record matches when the search proves its optimum (relative 1e-9; cycles exactly),
// and its mapping is in the mapspace and costs what the record says. Machines are in machines/, workloads in workloads/
// beside the file. Errors: no such file, no records, malformed lines (file:line, at most 20), machines, workloads and
// mappings that cannot be read.
Result<OptimaReport> verify_optima(const std::string& path, const OptimaOptions& options);

struct OptimumRecord {
  std::string file;  // the file it is from and the line, for messages
  int line = 0;
  std::string set;       // "" when the record names none
  std::string machine;   // machines/<machine> beside the file
  std::string workload;  // workloads/<workload> beside the file
  Objective objective = Objective::Edp;
  // [level]: tensors that it keeps. A level without an entry is open: the machine's own rule decides, and the mapper
  // where that says nothing.
  std::map<std::string, std::vector<std::string>> keep;
  std::string keep_text;                       // instead of `keep`: "all levels keep all", "PsumSpad O, DRAM all"
  bool peer_channel = false;                   // whether the optimum counts them
  std::optional<bool> one_axis_per_dimension;  // absent: as the machine says (a Timeloop machine: yes)
  double optimum = 0;                          // in units of objective_number(): pJ, cycles or products of these
  std::optional<double> energy_pj, cycles;     // of the recorded mapping
  std::string mapping_yaml;                    // in Timeloop's format or ours; "" when the record has none

  std::string id() const;  // "edp of gemm_a on m1_flat2"
};

// Reads the record on one line. Required: machine, workload, objective, optimum. Unknown keys are ignored: such files
// carry statistics of those who made them. Errors name file and line, and the field that is missing or of the wrong
// type.
Result<OptimumRecord> parse_optimum_record(std::string_view text, const std::string& file, int line);

// The record's mapping; none when it has none. Errors: those of a mapping file.
Result<std::optional<Mapping>> recorded_mapping(const OptimumRecord& record, const Workload& workload,
                                                const Architecture& architecture);

// The keep choices of the mapspace in which a recorded optimum is optimal.

struct RecordedMachine {
  Architecture architecture;  // with the record's keep sets in place of its own
  std::string note;           // what had to be assumed; "" = nothing
};

// The machine with the keep sets of the record. It names them as lists of tensors by level, or in words: "all levels
// keep all", "open", or levels with what they keep, "GLB IO, DRAM all" (tensors, or the letters W, I and O for roles;
// all, none, open). A level that is not named is open. Words that mean nothing here are replaced by the keep sets of
// the recorded mapping: it is optimal there too, and the note says so. Errors: unknown levels and tensors in lists;
// words without a mapping to go by.
Result<RecordedMachine> with_recorded_keep(const OptimumRecord& record, const Workload& workload,
                                           const Architecture& architecture);

}  // namespace heliolite

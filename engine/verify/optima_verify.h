#pragma once
// Searches the mapspace of every record of a file of proven optima and compares what is found.
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/search/core/strategy.h"
#include "engine/verify/golden_verify.h"

namespace heliolite {

// Which records are verified, and by which search.
struct OptimaOptions {
  std::optional<std::string> set;           // only records of this set
  std::optional<std::string> id;            // only records with this OptimumRecord::id()
  std::optional<u64> limit;                 // at most this many records
  u64 show = 5;                             // keep this many mismatched records
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

}  // namespace heliolite

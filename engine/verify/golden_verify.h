#pragma once
// Runs a file of recorded Timeloop runs through the cost model, record by record.
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "engine/verify/json_record.h"
#include "workloads/workload.h"

namespace heliolite {

struct GoldenRecord {
  std::string file;  // the file it is from and the line, for messages
  int line = 0;
  std::string id;
  std::string arch;     // arch/<arch>.yaml beside the file
  std::string problem;  // problem/<problem>.yaml beside the file
  std::string mode;     // strict, free, imperfect, link; residual, perfect
  // True: not a run of Timeloop, but a mapping counted by the rules of true counts. Words are of all instances then.
  Counts counts = Counts::Timeloop;
  bool peer_channel = false;
  nlohmann::json mapping;  // levels innermost first, orders innermost loop first
  nlohmann::json expect;   // shape already checked: every leaf is a number
};

// Reads the record on one line. Errors name file and line, and the field that is missing or of the wrong type.
Result<GoldenRecord> parse_golden_record(std::string_view text, const std::string& file, int line);

// The record's mapping as ours. Errors: unknown levels, dimensions, tensors; factors out of range.
Result<Mapping> golden_mapping(const GoldenRecord& record, const Workload& workload, const Architecture& architecture);

// A number that differs.
struct Difference {
  std::string where;  // "GLB Weights reads", "cycles"
  double expected = 0;
  double ours = 0;
};

// The numbers that differ by more than these tolerances: counts and cycles exact; fills of a read-only tensor +-1, and
// then its energy is free (the reference truncates a sum of doubles; docs/cost_model.md, rule 30); energies 1e-6
// relative; words and hops on networks 1e-9.
std::vector<Difference> compare(const GoldenRecord& record, const Breakdown& ours, const Workload& workload);

// Numbers of records.
struct VerifyTally {
  u64 matched = 0;
  u64 mismatched = 0;
  u64 skipped = 0;
};

// A record that does not match.
struct Mismatch {
  std::string id;
  int line = 0;                         // in the file
  std::string refused;                  // why the mapping is not legal for us; empty: it is
  std::vector<Difference> differences;  // of the costs
};

// The outcome for one file.
struct VerifyReport {
  VerifyTally total;
  std::map<std::string, VerifyTally> by_mode;  // [GoldenRecord::mode]
  std::map<std::string, u64> skip_reasons;     // [reason]: records skipped for it
  std::vector<Mismatch> mismatches;            // the first `show`
};

// Verifies the records of a file. Machines are in arch/, problems in problem/ beside it, each is read once. Errors: no
// such file, no records, malformed lines (file:line, at most 20 of them), a machine or problem that cannot be read.
Result<VerifyReport> verify_golden(const std::string& path, const RecordSelection& selection);

}  // namespace heliolite

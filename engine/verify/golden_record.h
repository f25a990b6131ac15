#pragma once
// A recorded Timeloop run, or a mapping with its true counts: one JSON object on a line (docs/formats_mapping.md,
// "Golden records").
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
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
  bool link_transfers = false;
  nlohmann::json mapping;  // levels innermost first, orders innermost loop first
  nlohmann::json expect;   // shape already checked: every leaf is a number
};

// Reads the record on one line. Errors name file and line, and the field that is missing or of the wrong type.
Result<GoldenRecord> parse_golden_record(std::string_view text, const std::string& file, int line);

// The record's mapping as ours. Errors: unknown levels, dimensions, tensors; factors out of range.
Result<Mapping> golden_mapping(const GoldenRecord& record, const Workload& workload, const Architecture& architecture);

}  // namespace heliolite

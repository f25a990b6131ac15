#pragma once
// The keep choices of the mapspace in which a recorded optimum is optimal.
#include <string>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/verify/optima_record.h"
#include "workloads/workload.h"

namespace heliolite {

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

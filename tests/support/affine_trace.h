#pragma once
// What an affine program touches when it runs.
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/program/affine_program.h"
#include "engine/program/count.h"

namespace heliolite {

struct TraceWord {
  int array = 0;
  std::vector<i64> subscripts;

  friend auto operator<=>(const TraceWord&, const TraceWord&) = default;
};

struct TraceStep {
  int statement = 0;
  std::vector<i64> at;     // its loops
  std::vector<u32> reads;  // indices into ProgramTrace::words, in the order of ProgramStatement::reads
  u32 write = 0;
};

struct ProgramTrace {
  std::vector<TraceWord> words;  // in the order in which they are first touched: reads before the write
  std::vector<TraceStep> steps;
};

// In the order of the text, or another one (walk_instances). Complains above `limit` instances.
Result<ProgramTrace> trace(const AffineProgram& program, const ParameterValues& values,
                           const std::optional<isl::union_map>& order = {}, u64 limit = 2'000'000);

}  // namespace heliolite

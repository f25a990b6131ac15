#include "engine/program/program_touches.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/base/integers.h"
#include "engine/program/program_file.h"
#include "engine/program/program_trace.h"

namespace heliolite {
namespace {

// The box of what is touched of each array, and the elements in it.
class Boxes {
 public:
  Boxes(const AffineProgram& program, const ProgramTrace& run) : low_(program.arrays.size()), high_(low_) {
    for (const TraceWord& w : run.words) {
      std::vector<i64>&low = low_[at(w.array)], &high = high_[at(w.array)];
      if (low.empty()) {
        low = w.subscripts;
        high = w.subscripts;
      }
      for (std::size_t r = 0; r < w.subscripts.size(); ++r) {
        low[r] = std::min(low[r], w.subscripts[r]);
        high[r] = std::max(high[r], w.subscripts[r]);
      }
    }
  }

  std::vector<u64> extents(std::size_t array) const {
    std::vector<u64> list;
    for (std::size_t r = 0; r < low_[array].size(); ++r)
      list.push_back(static_cast<u64>(high_[array][r] - low_[array][r]) + 1);
    return list;
  }

  u64 element(const TraceWord& w) const {
    u64 number = 0;
    for (std::size_t r = 0; r < w.subscripts.size(); ++r) {
      const i64 low = low_[at(w.array)][r];
      number = number * (static_cast<u64>(high_[at(w.array)][r] - low) + 1) + static_cast<u64>(w.subscripts[r] - low);
    }
    return number;
  }

 private:
  std::vector<std::vector<i64>> low_, high_;  // [array][rank]
};

}  // namespace

Result<ProgramTouches> program_touches(const std::string& file,
                                       const std::vector<std::pair<std::string, i64>>& parameters) {
  const Result<AffineProgram> program = load_program(file);
  if (!program) return program.errors();
  ParameterValues values;
  for (const auto& [name, value] : parameters) {
    if (program->parameter(name) < 0)
      return Diagnostic{file, 0, name,
                        fmt::format("no parameter of the program; it has: {}", fmt::join(program->parameters, ", "))};
    values[name] = value;
  }
  if (program->arrays.size() > std::numeric_limits<u8>::max())
    return Diagnostic{file, 0, "", fmt::format("{} arrays are too many to be executed", program->arrays.size())};
  const Result<ProgramTrace> run = trace(*program, values, {}, kMostExecutedInstances);
  if (!run) return run.errors();
  const Boxes boxes(*program, *run);
  ProgramTouches out{file, {}, {}, run->steps.size(), 0};
  for (std::size_t a = 0; a < program->arrays.size(); ++a)
    out.arrays.push_back({program->arrays[a].name, boxes.extents(a), false});
  std::vector<u64> element;
  for (const TraceWord& w : run->words) element.push_back(boxes.element(w));
  const auto touch = [&](u32 word, bool write) {
    const int array = run->words[word].array;
    out.touches.push_back({element[word], static_cast<u8>(array), write, write});
    if (write) out.arrays[at(array)].written = true;
  };
  for (const TraceStep& step : run->steps) {
    for (const u32 word : step.reads) touch(word, false);
    touch(step.write, true);
    out.operands = std::max<u64>(out.operands, step.reads.size() + 1);
  }
  return out;
}

}  // namespace heliolite

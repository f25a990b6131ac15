#include "engine/program/sketch_operations.h"

#include <algorithm>

namespace heliolite {
namespace {

// Whether `other` runs in the innermost loop of `s`.
bool shares_loop(const SketchStatement& s, const SketchStatement& other) {
  const std::size_t depth = s.loops.size();
  return other.loops.size() >= depth &&
         std::equal(s.positions.begin(), s.positions.begin() + static_cast<long>(depth), other.positions.begin());
}

bool changes(const ProgramSketch& sketch, const SketchStatement& s, const SketchAccess& read) {
  const std::string& index = s.loops.back().index;
  const auto has_index = [&](const AffineForm& form) { return form.involves(index); };
  if (std::any_of(read.subscripts.begin(), read.subscripts.end(), has_index)) return true;
  if (read.subscripts.empty() && read.array == index) return true;
  return std::any_of(sketch.statements.begin(), sketch.statements.end(), [&](const SketchStatement& other) {
    return other.write.array == read.array && shares_loop(s, other);
  });
}

}  // namespace

void count_operations(ProgramSketch& sketch) {
  for (SketchStatement& s : sketch.statements) {
    u64 changing = 0;
    for (std::size_t r = 0; r < s.reads.size(); ++r)
      if (s.loops.empty() || changes(sketch, s, s.reads[r])) changing |= u64{1} << r;
    s.operations = static_cast<u64>(
        std::count_if(s.operators.begin(), s.operators.end(), [&](u64 reads) { return (reads & changing) != 0; }));
  }
}

}  // namespace heliolite

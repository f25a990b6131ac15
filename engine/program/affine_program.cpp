#include "engine/program/affine_program.h"

#include <algorithm>

namespace heliolite {

int AffineProgram::parameter(const std::string& name) const {
  const auto found = std::find(parameters.begin(), parameters.end(), name);
  return found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
}

u64 AffineProgram::deepest() const {
  u64 most = 0;
  for (const ProgramStatement& s : statements) most = std::max<u64>(most, s.loops.size());
  return most;
}

}  // namespace heliolite

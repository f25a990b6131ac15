#include "engine/program/affine_support.h"
#include "engine/program/program_touches.h"

namespace heliolite {

bool has_affine_programs() { return false; }

Result<ProgramTouches> program_touches(const std::string& file, const std::vector<std::pair<std::string, i64>>&) {
  return Diagnostic{file, 0, "", std::string(kWithoutIsl)};
}

}  // namespace heliolite

// What answers where the program is built without isl: that affine programs cannot be read.
#include "engine/base/result.h"
#include "engine/program/affine_support.h"
#include "engine/program/bound/program_answer.h"
#include "engine/program/program_touches.h"

namespace heliolite {

bool has_affine_programs() { return false; }

Result<ProgramTouches> ProgramTouches::load(const std::string& file, const std::vector<std::pair<std::string, i64>>&,
                                            const ProgramStop*) {
  return Diagnostic{file, 0, "", std::string(kWithoutIsl)};
}

Result<u64> ProgramTouches::run(const std::function<void(const ProgramTouch&)>&, const ProgramStop*) const {
  return Diagnostic{"", 0, "", std::string(kWithoutIsl)};
}

void ProgramStop::request() { requested_ = true; }

Result<ProgramAnswer> bound_program(const ProgramQuestion& question) {
  return Diagnostic{question.file, 0, "", std::string(kWithoutIsl)};
}

}  // namespace heliolite

// What answers for this room where it is built without isl.
#include "engine/program/affine_support.h"
#include "engine/program/bound/program_answer.h"

namespace heliolite {

Result<ProgramAnswer> bound_program(const ProgramQuestion& question) {
  return Diagnostic{question.file, 0, "", std::string(kWithoutIsl)};
}

}  // namespace heliolite

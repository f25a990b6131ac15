#pragma once
// From a program's text to its sets and relations.
#include "engine/base/result.h"
#include "engine/program/affine_program.h"
#include "engine/program/program_sketch.h"

namespace heliolite {

Result<AffineProgram> build_program(const ProgramSketch& sketch);

}  // namespace heliolite

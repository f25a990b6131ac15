#pragma once
// Reads affine programs: a subset of C.
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/program/affine_program.h"

namespace heliolite {

// The program between "#pragma scop" and "#pragma endscop" of a C text; the rest is skipped. Complaints say the line
// and the offending text. `name` stands for the file.
Result<AffineProgram> parse_program(std::string_view text, const std::string& name);

// The same of a file.
Result<AffineProgram> load_program(const std::string& path);

}  // namespace heliolite

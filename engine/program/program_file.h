#pragma once
// Reads affine programs, a subset of C: the text's statements are checked as a whole, then made sets and relations.
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/program/affine_program.h"
#include "engine/program/program_sketch.h"

namespace heliolite {

// What only a whole program tells: whether its names are used for one thing each.

Diagnostics check(const ProgramSketch& sketch);

// Parameters and indices as values of an expression are no words of memory: their reads are dropped.
void drop_numbers(ProgramSketch& sketch);

// From a program's text to its sets and relations.

Result<AffineProgram> build_program(const ProgramSketch& sketch);

// Reads affine programs: a subset of C.

// The program between "#pragma scop" and "#pragma endscop" of a C text; the rest is skipped. Complaints say the line
// and the offending text. `name` stands for the file.
Result<AffineProgram> parse_program(std::string_view text, const std::string& name);

// parse_program() of a file's text.
Result<AffineProgram> load_program(const std::string& path);

}  // namespace heliolite

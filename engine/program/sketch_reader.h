#pragma once
// The statements of a C text with their loops and conditions.
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/program/program_sketch.h"

namespace heliolite {

// What is between "#pragma scop" and "#pragma endscop". All complaints about meaning, or the first about syntax.
Result<ProgramSketch> read_sketch(std::string_view text, const std::string& file);

}  // namespace heliolite

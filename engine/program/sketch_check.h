#pragma once
// What only a whole program tells: whether its names are used for one thing each.
#include "engine/base/result.h"
#include "engine/program/program_sketch.h"

namespace heliolite {

Diagnostics check(const ProgramSketch& sketch);

// Parameters and indices as values of an expression are no words of memory: their reads are dropped.
void drop_numbers(ProgramSketch& sketch);

}  // namespace heliolite

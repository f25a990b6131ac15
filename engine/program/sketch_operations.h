#pragma once
// How much the assignments of a program compute.
#include "engine/program/program_sketch.h"

namespace heliolite {

// Sets SketchStatement::operations: the operators that depend on something that changes in the innermost loop, which is
// an element whose subscripts have its index, the index itself, or an array that the loop writes. A statement without
// loops computes all of them. To be called before drop_numbers().
void count_operations(ProgramSketch& sketch);

}  // namespace heliolite

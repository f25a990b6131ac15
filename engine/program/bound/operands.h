#pragma once
// Where each operand of each statement instance comes from: the CDAG of the program, whose vertices are the instances
// and the input words.
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/result.h"
#include "engine/program/affine_program.h"

namespace heliolite {

struct Operands {
  // [statement][read]: { S0[i] -> the instance or input word whose value it reads }; one for each instance.
  std::vector<std::vector<isl::union_map>> source;
  isl::union_set inputs;  // words that are read before anything is written to them
  isl::union_set used;    // instances whose value some instance reads

  const isl::union_map& of(int statement, int read) const { return source[at(statement)][at(read)]; }
};

// Exact, for the parameter values in program.assumed. Input words have the name of their array with "in_" before it,
// so that no statement has it.
Result<Operands> operands_of(const AffineProgram& program);

}  // namespace heliolite

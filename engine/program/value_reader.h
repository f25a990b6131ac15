#pragma once
// Right-hand sides of C assignments: what they read and how much they compute.
#include <functional>
#include <vector>

#include "engine/program/affine_reader.h"
#include "engine/program/program_sketch.h"

namespace heliolite {

// Reads the right-hand sides of C assignments, of which only what they read and how much they compute is of interest.

// Whether the word is the name of a type: double, DATA_TYPE, ..
bool is_c_type(const CToken& token);

class ValueReader {
 public:
  ValueReader(CCursor& cursor, AffineReader& affine) : cursor_(cursor), affine_(affine) {}

  // An expression up to ';' or a bracket that closes: its reads, each element once, are added to `reads`, its operators
  // and calls to `operators`; of a ? b : c those of the longer branch and of the condition. The reads that it depends
  // on, as a mask.
  u64 expression(std::vector<SketchAccess>& reads, std::vector<u64>& operators);

  // A scalar, or an array with its subscripts; of what is assigned, "++" and "--" may follow.
  SketchAccess element();
  SketchAccess target();

 private:
  u64 whole();
  u64 binary(int least_precedence);
  u64 unary();
  u64 primary();
  u64 call();
  u64 add(SketchAccess access);
  u64 operate(u64 reads);

  CCursor& cursor_;
  AffineReader& affine_;
  std::vector<SketchAccess>* reads_ = nullptr;
  std::vector<u64>* operators_ = nullptr;
};

// How much the assignments of a program compute.

// Sets SketchStatement::operations: the operators that depend on something that changes in the innermost loop, which is
// an element whose subscripts have its index, the index itself, or an array that the loop writes. A statement without
// loops computes all of them. To be called before drop_numbers().
void count_operations(ProgramSketch& sketch);

}  // namespace heliolite

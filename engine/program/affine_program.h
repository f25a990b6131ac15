#pragma once
// A program whose loops and subscripts are affine: what its statements are, when they run, what they read and write;
// and how it is read from a subset of C.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/program/isl.h"

namespace heliolite {

struct ProgramSketch;

// A scalar is an array without dimensions. Different names are different words: no aliasing. One word an element.
struct ProgramArray {
  std::string name;
  int dimensions = 0;
  int line = 0;  // where it is first met
};

struct ArrayAccess {
  int array = 0;              // index into AffineProgram::arrays
  isl::map element;           // { S[i] -> A[f(i)] }: exactly one element for each instance
  isl::multi_aff subscripts;  // `element` as formulas, which may have quotients
};

// One assignment. Its instances are the points of `domain`, loops from the outermost.
struct ProgramStatement {
  std::string name;  // "S0", "S1", .. in the order of the text; the tuple name of the domain
  int line = 0;
  std::string text;                // of the assignment, for people
  std::vector<std::string> loops;  // names of the indices
  isl::set domain;                 // [N] -> { S0[i, j] : .. }
  isl::map schedule;               // { S0[i, j] -> [c0, i, c1, j, c2, 0..] }: one length for all; smaller runs first
  ArrayAccess write;
  std::vector<ArrayAccess> reads;  // in the order of the text, the same element once; with the written one if compound
  char compound = 0;               // '+', '-', '*' or '/' of "+=" and its like; 0: none
  // Arithmetic operators and calls of one instance, but for those whose operands are the same in every iteration of the
  // innermost loop: they are computed before it.
  u64 operations = 0;

  int depth() const { return static_cast<int>(loops.size()); }
};

// An access to a scalar is { S0[i] -> alpha[] }.
struct AffineProgram {
  IslContext context;
  std::string file;
  std::vector<std::string> parameters;  // in the order in which they are met; of every space, whether used or not
  isl::set assumed;                     // { : N >= 1 and .. }: parameter values the program is looked at for
  std::vector<ProgramArray> arrays;
  std::vector<ProgramStatement> statements;
  std::vector<std::string> notes;  // what of the text was left out, for people

  int parameter(const std::string& name) const;  // its index, -1: none
};

// Reads affine programs: the text's statements are checked as a whole, then made sets and relations.

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

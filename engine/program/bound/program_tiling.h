#pragma once
// Loads that a schedule of an affine program reaches: its statements one after the other, each in tiles. What lower
// bounds of programs are held against.
#include <optional>
#include <string>
#include <vector>

#include "engine/program/bound/program_bound.h"
#include "workloads/workload.h"

namespace heliolite {

// A statement's instances as an Einsum over a box of its loops. A word that it reads at several places counts as words
// of several tensors, which is what a schedule may do.
struct TiledStatement {
  std::string name;
  int line = 0;
  Workload workload;
  bool accumulates = false;  // it reads what it writes, so that its output starts with values
  bool boxed = false;        // its instances are a part of the box: tiles move at most what those of the box do
};

struct TiledProgram {
  std::vector<TiledStatement> statements;
};

// The statements if the program can be tiled this way: each needs values of statements before it and of itself only,
// of itself only forwards along every loop (so that any loop order and any tiles are legal), a word of memory has one
// value or one running sum while it runs, its subscripts are sums of loops with positive coefficients, and its operands
// at most kMaxTensors - 1. A complaint names the statement that does not.
Result<TiledProgram> tile_program(const ProgramPlan& plan);

// Words that the best tilings known load with a memory of `capacity` words, empty between statements. Nothing where one
// instance does not fit.
std::optional<double> tiled_loads(const TiledProgram& program, double capacity);

}  // namespace heliolite

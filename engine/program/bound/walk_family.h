#pragma once
// Families of walks: for each instance x of a part of the program a way back through the CDAG, operand by operand, to a
// word that the part does not compute. A set P of instances needs from outside at least as many words as there are
// classes x + kernel in it, since walks of different classes share no vertex. Proof: docs/affine.md.
#include <functional>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/bounds/hbl/hbl_subspace.h"
#include "engine/program/affine_program.h"

namespace heliolite {

// Where each operand of each statement instance comes from: the CDAG of the program, whose vertices are the instances
// and the input words.

struct Operands {
  // [statement][read]: { S0[i] -> the instance or input word whose value it reads }; one for each instance.
  std::vector<std::vector<isl::union_map>> source;
  isl::union_set inputs;  // words that are read before anything is written to them
  isl::union_set used;    // instances whose value some instance reads

  const isl::union_map& of(int statement, int read) const { return source[statement][read]; }
};

// Exact, for the parameter values in program.assumed. Input words have the name of their array with "in_" before it,
// so that no statement has it.
Result<Operands> operands_of(const AffineProgram& program);

// The way of one instance as far as `last`; from there on the way of that instance, if it is one of the part.
struct WalkFamily {
  std::string text;         // for people: "A[i][k]", "B, A" for a value that comes by way of B
  isl::union_map inner;     // { [x] -> instance }: between x and `last`; mostly empty
  isl::union_map last;      // { [x] -> vertex }: one for each x of its domain
  Subspace kernel;          // ways of x and x' meet only if x - x' is in it
  double multiplicity = 1;  // classes whose ways may meet all the same: of statements that were joined

  isl::union_map steps() const { return inner.unite(last); }
};

// Instances that are bounded together, as points of one space Z^d.
struct ProgramPart {
  std::vector<int> statements;
  isl::union_map at;  // { [x] -> S0[..] }: one to one
  isl::set domain;    // { [x] }: those that are bounded; whole walks start here
  std::vector<WalkFamily> families;

  int dimensions() const { return static_cast<int>(domain.tuple_dim()); }
};

// Where the family's walks, from points of `domain`, may leave a set of instances: what an execution loads for them.
isl::union_set exits(const WalkFamily& family, const isl::set& domain);

// Words that the walks of the part end at: they are not in it.
isl::union_set ends(const ProgramPart& part);

// All instances of a statement, without families.
ProgramPart part_of(const AffineProgram& program, int statement);

// How many points a set has, roughly: what decides which of several ways is taken.
using SizeOf = std::function<double(const isl::set&)>;

// A limit in steps, not seconds: the same answer on every machine. Reaching it is noted.
struct WalkLimits {
  int longest = 4;      // operands in a way back to the same statement
  int most_ways = 400;  // ways of one statement that are looked at
  bool reached = false;
};

// Families of single operands of the part's statement: [0] of those pieces of the dataflow that fill the domain, and
// whose walks meet in one kernel; [1] with all pieces, where that makes a difference (sums over several loops).
std::vector<std::vector<WalkFamily>> operand_families(const AffineProgram& program, const Operands& operands,
                                                      const ProgramPart& part, const SizeOf& size);

// Ways back to the same statement, maybe over others: families whose kernel is one line.
std::vector<WalkFamily> circuit_families(const AffineProgram& program, const Operands& operands,
                                         const ProgramPart& part, WalkLimits& limits);

// The smallest kernel for which ways through `steps` from points of `domain` meet only within a class.
Subspace kernel_of(const isl::union_map& at, const isl::union_map& steps, const isl::set& domain);

}  // namespace heliolite

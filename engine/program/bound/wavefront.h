#pragma once
// The wavefront bound: where every instance of one slice of a statement reaches every one of the next, all of the first
// are done before the second begins; with m disjoint ways between them, m values are alive then, m - S of which must be
// loaded later. Proof: docs/affine.md.
#include <vector>

#include "engine/program/bound/walk_family.h"

namespace heliolite {

// The ways that cross from a slice to the next: walks from the points of the part's domain, one family. Slices are
// those of equal values of the first `outer` loops.
struct Wavefront {
  ProgramPart part;
  int outer = 1;
};

// What reachability had to leave out. All of it makes bounds weaker, not wrong.
struct ReachLimits {
  int longest = 5;       // statements in a way from one slice to the next
  int most_ways = 2000;  // of one statement that are looked at
  bool inexact = false;  // a transitive closure was not exact and is left out
  bool reached = false;
};

// The wavefronts of a statement for each number of outer loops, of every way back to itself that serves.
std::vector<Wavefront> wavefronts(const AffineProgram& program, const Operands& operands, const ProgramPart& part,
                                  const std::vector<WalkFamily>& circuits, ReachLimits& limits);

}  // namespace heliolite

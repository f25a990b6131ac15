#pragma once
// The words that any schedule of an affine program loads into a memory of S words: bounds of its parts, those whose
// words are disjoint added up, and every input word once. Proof: docs/affine.md.
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/affine_program.h"
#include "engine/program/bound/budget_program.h"
#include "engine/program/bound/walk_family.h"
#include "engine/program/count.h"

namespace heliolite {

// The wavefront bound: where every instance of one slice of a statement reaches every one of the next, all of the first
// are done before the second begins; with m disjoint ways between them, m values are alive then, m - S of which must be
// loaded later. Proof: docs/affine.md.

// The ways that cross from a slice to the next: walks from the points of the part's domain, one family. Slices are
// those of equal values of the first `outer` loops.
struct Wavefront {
  ProgramPart part;
  int outer = 1;
};

// What reachability had to leave out. All of it makes bounds weaker, not wrong.
struct ReachLimits {
  int longest = 5;       // statements in a way from one slice to the next
  int most_ways = 2000;  // ways of one statement that are looked at
  bool inexact = false;  // a transitive closure was not exact and is left out
  bool reached = false;
};

// The wavefronts of a statement for each number of outer loops, of every way back to itself that serves.
std::vector<Wavefront> wavefronts(const AffineProgram& program, const Operands& operands, const ProgramPart& part,
                                  const std::vector<WalkFamily>& circuits, ReachLimits& limits);

enum class PartMethod { partition, wavefront };

// One bound that is a summand of the program's.
struct PartBound {
  PartMethod method = PartMethod::partition;
  ProgramPart part;
  int outer = 0;                      // for a wavefront: loops whose slices are added up
  std::optional<BudgetShape> shape;   // for a partition: what bounds its instances
  std::vector<BudgetGrowth> growths;  // for a partition: [choice of exponents]; the last for large S
  double instances = 0;               // instances of the domain
  double ends = 0;                    // for a partition: words that its walks end at
};

// What was not followed to its end. Each makes the bound weaker, not wrong.
struct GivenUp {
  bool ways = false;         // too many ways through the dataflow
  bool reach = false;        // too many ways between slices
  bool closure = false;      // a transitive closure that isl did not find exactly
  bool uncounted = false;    // slices that could not be counted
  bool complicated = false;  // statements, or parts to be put together, whose sets need too many steps
  bool stopped = false;      // somebody asked for the end

  std::vector<std::string> names() const;
};

// Switches of the rules, for tests and for `--without`.
struct ProgramRules {
  bool partition = true;  // "k-partition"
  bool wavefront = true;  // "wavefront"
  bool joined = true;     // "joined-statements"
  bool circuits = true;   // "circuits"
};

// The parts of a program whose bounds are added up, chosen at some parameter values; valid for all.
struct ProgramPlan {
  std::shared_ptr<const AffineProgram> program;
  Operands operands;
  ParameterValues values;
  std::optional<double> inputs;  // words that are read before anything is written to them, where they were counted
  std::vector<PartBound> parts;
  GivenUp given_up;
};

// Ends within some seconds, with what was found until then: given_up says what was left.
Result<ProgramPlan> plan_bound(std::shared_ptr<const AffineProgram> program, const ParameterValues& values,
                               const ProgramRules& rules = {});

// Words that the part's bound gives for a memory of `capacity` words; 0 if it is too large for it.
double part_words(const ProgramPlan& plan, const PartBound& bound, double capacity);

// The program's loads, at least. It falls with the capacity.
u64 program_words(const ProgramPlan& plan, double capacity);

}  // namespace heliolite

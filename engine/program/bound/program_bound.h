#pragma once
// The words that any schedule of an affine program loads into a memory of S words: bounds of its parts, those whose
// words are disjoint added up, and every input word once. Proof: docs/affine.md.
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/program/affine_program.h"
#include "engine/program/bound/walk_family.h"
#include "engine/program/count.h"

namespace heliolite {

// The most instances of a statement that K words admit, from families of walks (walk_family.h):
//   log U(K) = S log(K / S) + sum_j s_j log(s_j m_j / b_j) + sum_l t_l log extent_l,   S = sum of s,
// least over exponents (s, t) that meet the rank rows and shares b_j = sum over cliques c with j of w_c, sum of w = 1.
// Jointly convex in s, t and w (a relative entropy); a barrier method finds the minimum. Every (s, t) that meets the
// rows and every w bounds the instances, so how near the minimum it ends is a matter of sharpness only.
// Proof: docs/affine.md.

// What the program is made of.
struct BudgetShape {
  std::vector<RankRow> rows;                      // images of the families; bit l of loops: extent l
  std::vector<std::vector<std::size_t>> cliques;  // families whose words are apart; every family is in one
  std::vector<double> multiplicity;               // [family] m_j: projections that one word may stand for
  std::vector<double> extents;                    // values of each loop; may be empty: then no row may need them

  std::size_t families() const { return multiplicity.size(); }
};

struct BudgetPoint {
  std::vector<double> s;       // [family]
  std::vector<double> t;       // [loop]
  std::vector<double> weight;  // [clique]
};

// U(K) = exp(scale) * K^exponent.
struct BudgetGrowth {
  double scale = 0;
  double exponent = 0;
};

// The best point for a budget of exp(log_budget) words; nothing with s and t is valid if the rows cannot be met.
BudgetPoint best_budget_point(const BudgetShape& shape, double log_budget);

// U of a point, rounded up; exponents that miss a row by roundings are scaled up.
BudgetGrowth budget_growth(const BudgetShape& shape, const BudgetPoint& point);

// [family] b_j.
std::vector<double> shares(const BudgetShape& shape, const std::vector<double>& weight);

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

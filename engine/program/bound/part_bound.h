#pragma once
// The K-partition bound of one part of a program: cut an execution into pieces of T words each; with what is inside
// when it begins, a piece sees K = S + T words and so does at most U(K) instances of the part. And which parts of a
// program are bounded, and how parts that use the same words go together.
#include <optional>
#include <vector>

#include "engine/program/bound/program_bound.h"
#include "engine/program/bound/walk_family.h"

namespace heliolite {

// Subgroups that a lattice of kernels may have.
inline constexpr std::size_t kMostSubgroups = 150;

// A budget, as a logarithm, so large that the sum of the exponents is what counts.
inline constexpr double kLargeLogBudget = 60;

// Leaves instances out of the part's domain, never more than a border of it, so that every walk is whole, meets others
// in its kernel only, and words of two families are apart where that is possible. False if more than a border would
// have to go.
bool trim(ProgramPart& part);

// Leaves out of the part the instances whose walks use one of the words. They may be all.
ProgramPart without_words(const ProgramPart& part, const isl::union_set& words);

// The words that any walk of the part uses: loads of them are what the bound counts.
isl::union_set used_words(const ProgramPart& part);

// [a][b]: families a and b never use the same word.
std::vector<std::vector<bool>> apart(const ProgramPart& part);

// What bounds the instances of the part; nothing if its families do not (all their kernels share a line).
std::optional<BudgetShape> budget_shape(const ProgramPart& part);

// Chooses families one after the other as long as their lattice stays finite and the domain keeps its dimension; those
// that the best exponents do not use are dropped. Nothing if no bound comes of them.
std::optional<ProgramPart> with_families(const ProgramPart& part, std::vector<WalkFamily> candidates);

// The bounds of parts as numbers, at given parameter values.

// Counts points at given parameter values. What cannot be counted is remembered.
class PartNumbers {
 public:
  PartNumbers(const AffineProgram& program, const ParameterValues& values) : program_(program), values_(values) {}

  std::optional<double> points(const isl::set& set);
  std::optional<double> points(const isl::union_set& sets);
  // The values of each coordinate, from its least to its largest one.
  std::vector<double> extents(const isl::set& set) const;

  // The part's shape, choices of exponents and counts. False if no bound comes of it.
  bool fill(PartBound& bound);
  // What the bound counts when bounds are compared: its words for a few small memories.
  double small_memory_words(const PartBound& bound);

  bool uncounted() const { return uncounted_; }  // something, so that a bound had to be left out
  const AffineProgram& program() const { return program_; }
  const ParameterValues& values() const { return values_; }

 private:
  const AffineProgram& program_;
  const ParameterValues& values_;
  bool uncounted_ = false;
};

double partition_words(const PartBound& bound, double capacity);
// Nothing where its slices cannot be counted.
std::optional<double> wavefront_words(const AffineProgram& program, const ParameterValues& values,
                                      const PartBound& bound, double capacity);

// Which parts of a program are bounded, and how parts that use the same words go together.

// Statements that use the same words are bounded together: as one part, whose words count once.

// Both parts as one, with the loops of `b` in such an order that no point is one of both and each family of `a` goes on
// in one of `b` with the same kernel. Nothing if there is none.
std::optional<ProgramPart> joined(const ProgramPart& a, const ProgramPart& b);

class PlanBuilder {
 public:
  PlanBuilder(const AffineProgram& program, const Operands& operands, PartNumbers& numbers, const ProgramRules& rules,
              GivenUp& given_up)
      : program_(program), operands_(operands), numbers_(numbers), rules_(rules), given_up_(given_up) {}

  // Parts whose words are disjoint, the largest first.
  std::vector<PartBound> parts();

 private:
  template <class Work>
  void try_within(u64 most_steps, Work work);
  void add_statement(int statement);
  void add_partitions(const ProgramPart& whole, const std::vector<WalkFamily>& circuits);
  void add(PartMethod method, ProgramPart part, int outer);
  void place(const PartBound& bound);
  double sum(const std::vector<PartBound>& list);
  std::vector<PartBound> with_whole_part(const std::vector<PartBound>& list, const PartBound& bound);
  std::optional<PartBound> reduced(const PartBound& bound, const isl::union_set& words);

  const AffineProgram& program_;
  const Operands& operands_;
  PartNumbers& numbers_;
  const ProgramRules& rules_;
  GivenUp& given_up_;
  std::vector<PartBound> found_;   // candidates, which may overlap
  std::vector<PartBound> placed_;  // disjoint
};

}  // namespace heliolite

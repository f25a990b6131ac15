#pragma once
// Which parts of a program are bounded, and how parts that use the same words go together.
#include <optional>
#include <vector>

#include "engine/program/bound/part_bound.h"
#include "engine/program/bound/walk_family.h"

namespace heliolite {

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

#pragma once
// Plans with imperfect factors (climb/plan.h) and the mappings that they stand for. Each dimension is a chain of loop
// ends over the places of the mapspace; residuals follow from the ends (docs/rules/imperfect.md).
#include "engine/search/climb/moves.h"
#include "engine/search/climb/plan.h"
#include "engine/space/mapspace.h"
#include "engine/space/nest_writer.h"

namespace heliolite {

// The plans of a mapspace, which must outlive it, with their moves.
class ImperfectPlanSpace {
 public:
  // `useful_only`: of the ends with as many iterations outside only the least, and what fills an axis.
  explicit ImperfectPlanSpace(const Mapspace& space, bool useful_only = true)
      : space_(space), moves_(space, useful_only ? Ends::Useful : Ends::All), writer_(space) {}

  const Mapspace& space() const { return space_; }
  const MoveSpace& moves() const { return moves_; }

  // The mapping that a plan stands for, and the plan of a mapping.
  Mapping mapping(const ImperfectPlan& plan) const;
  ImperfectPlan plan(const Mapping& mapping) const;

  // The machine's smallest factors, the rest at the outermost places that take it. False: there is no such plan.
  bool smallest(ImperfectPlan& plan) const;

 private:
  void canonical_orders(ImperfectPlan& plan) const;

  const Mapspace& space_;
  const MoveSpace moves_;
  const NestWriter writer_;
};

}  // namespace heliolite

#include "engine/program/bound/program_bound.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/integers.h"
#include "engine/bounds/segment/iolb_segment.h"
#include "engine/program/bound/part_numbers.h"
#include "engine/program/bound/plan.h"

namespace heliolite {
namespace {

constexpr u64 kPlanSteps = 60'000'000;  // of isl

}  // namespace

std::vector<std::string> GivenUp::names() const {
  std::vector<std::string> list;
  if (ways) list.emplace_back("dataflow-ways");
  if (reach) list.emplace_back("slice-ways");
  if (closure) list.emplace_back("inexact-closure");
  if (complicated) list.emplace_back("too-complicated");
  if (uncounted) list.emplace_back("uncounted");
  if (stopped) list.emplace_back("stopped");
  return list;
}

double part_words(const ProgramPlan& plan, const PartBound& bound, double capacity) {
  if (bound.method == PartMethod::wavefront)
    return wavefront_words(*plan.program, plan.values, bound, capacity).value_or(0);
  return partition_words(bound, capacity);
}

u64 program_words(const ProgramPlan& plan, double capacity) {
  double words = plan.inputs.value_or(0);
  for (const PartBound& bound : plan.parts) words += std::floor(part_words(plan, bound, capacity));
  return words < 0x1p64 ? static_cast<u64>(words) : ~u64{0};
}

Result<ProgramPlan> plan_bound(std::shared_ptr<const AffineProgram> program, const ParameterValues& values,
                               const ProgramRules& rules) {
  const AffineProgram& p = *program;
  return guarded(
      p.context, p.file, "scop",
      [&]() -> Result<ProgramPlan> {
        const Result<Operands> operands = operands_of(p);
        if (!operands) return operands.errors();
        ProgramPlan plan{program, *operands, values, {}, {}, {}};
        PartNumbers numbers(p, values);
        plan.inputs = numbers.points(operands->inputs);
        plan.parts = PlanBuilder(p, *operands, numbers, rules, plan.given_up).parts();
        plan.given_up.uncounted = numbers.uncounted();
        return plan;
      },
      kPlanSteps);
}

}  // namespace heliolite

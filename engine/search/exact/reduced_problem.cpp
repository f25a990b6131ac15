#include "engine/search/exact/reduced_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/core/rules.h"

namespace heliolite {

ReducedProblem::ReducedProblem(const LayerProblem& problem) : original_(problem) {
  if (problem.family || problem.model.compiled().linked != 0) return;
  const RuleSet rules = problem.sound_rules();
  const Gate gate(rules, counts_);
  Workload workload = problem.workload;
  Mapspace space = problem.space;
  if (gate.on(Rule::MergeDimensions)) {
    MergedDimensions merged(problem.space, problem.model.compiled());
    if (merged.any()) {
      gate.pruned(Rule::MergeDimensions, static_cast<u64>(merged.absorbed()));
      workload = merged.merge(std::move(workload));
      space = merged.merge(std::move(space));
      merged_ = std::move(merged);
    }
  }
  CostModel model(workload, problem.architecture);
  DimensionMask batches = 0;
  if (gate.on(Rule::BatchOutermost)) batches = keep_batch_outermost(space, model.compiled());
  if (batches != 0) gate.pruned(Rule::BatchOutermost, static_cast<u64>(std::popcount(batches)));
  if (!merged_ && batches == 0) return;
  std::optional<CostModel> unstacked;
  if (problem.stack) unstacked.emplace(workload, problem.stack->machine);
  reduced_.emplace(LayerProblem{std::move(workload),
                                problem.architecture,
                                problem.options,
                                std::move(space),
                                std::move(model),
                                nullptr,
                                {},
                                problem.stack,
                                std::move(unstacked)});
  if (std::optional<Mapping>& witness = reduced_->options.witness) {
    if (merged_) witness = merged_->join(*witness);
    if (batches != 0) witness = with_batch_outermost(*witness, reduced_->space);
  }
}

// Its first event: what the smaller problem has in the witness' place.
WitnessReport ReducedProblem::restored(const WitnessReport& report) const {
  WitnessReport out = report;
  const Objective objective = original_.options.objective;
  out.cost = original_.model.evaluate(*original_.options.witness).cost;
  out.value = objective_number(objective, out.cost);
  if (*reduced_->options.witness == *original_.options.witness) return out;
  const Rule rule = merged_ ? Rule::MergeDimensions : Rule::BatchOutermost;
  out.events.insert(out.events.begin(), {-1, rule, "its loops in another order", {}, {}, report.value});
  if (report.value > out.value * (1 + 1e-9))
    out.errors.push_back(fmt::format("rule {}: what it keeps instead costs {:.10g}, what it drops {:.10g}",
                                     kRuleTable[at(rule)].name, report.value, out.value));
  return out;
}

void ReducedProblem::restore(LayerAnswer& answer) const {
  if (!any()) return;
  answer.statistics.rules += counts_;
  if (answer.witness) answer.witness = restored(*answer.witness);
  if (!answer.found || !merged_) return;
  const auto is_gone = [&](const Loop& loop) { return reduced_->space.size[loop.dimension] == 1; };
  const auto loops = answer.mapping.loops();
  if (std::any_of(loops.begin(), loops.end(), is_gone)) return;
  answer.mapping = merged_->split(answer.mapping, original_.space);
}

}  // namespace heliolite

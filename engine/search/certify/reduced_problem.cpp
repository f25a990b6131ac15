#include "engine/search/certify/reduced_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/search/core/rules.h"

namespace heliolite {
namespace {

// Whether a word costs the same whichever instance of a level it comes to, and whatever else comes there.
bool costs_by_words_alone(const CompiledLevel& level, u64 instances) {
  if (level.is_interconnect || level.network_costs) return false;
  return instances == 1 || (level.block_words == 1 && level.clusters >= instances && !leaks(level));
}

// Rule batch-outermost in true counts: takes the temporal loops over dimensions that index every tensor away from all
// levels but the outermost, where no mapping becomes dearer by that. Returns the dimensions whose loops are meant.
// None if an output slides: a mapping whose factors divide counts its first words in another way (rule 39), so one
// that moves as much may cost more.
DimensionMask keep_batches_outermost(Mapspace& space, const Compiled& c) {
  for (int v = 0; v < c.tensor_count; ++v)
    if (c.tensor[v].is_output && !has_plain_ranks(c.tensor[v])) return 0;
  u64 instances = 1;
  for (int i = c.level_count - 1; i >= 0; --i) {
    if (!costs_by_words_alone(c.level[i], instances)) return 0;
    instances *= c.level[i].fanout();
  }
  return keep_batch_outermost(space, c);
}

}  // namespace

ReducedProblem::ReducedProblem(const LayerProblem& problem, Factors factors) : original_(problem) {
  if (factors == Factors::Any) reduce_all_tiles();
  else if (!problem.family && problem.model.compiled().peers == 0 && problem.model.compiled().pass.is_plain())
    reduce_perfect();
}

void ReducedProblem::reduce_all_tiles() {
  Mapspace space = original_.space;
  if (original_.options.rules[Rule::BatchOutermost])
    take_batches(keep_batches_outermost(space, original_.model.compiled()));
  if (batches_ == 0) return;
  reduced_.emplace(original_);
  reduced_->space = std::move(space);
}

void ReducedProblem::reduce_perfect() {
  const RuleSet rules = original_.sound_rules();
  Workload workload = original_.workload;
  Mapspace space = original_.space;
  if (rules[Rule::MergeDimensions]) {
    MergedDimensions merged(original_.space, original_.model.compiled());
    if (merged.any()) {
      Gate(rules, counts_).pruned(Rule::MergeDimensions, static_cast<u64>(merged.absorbed()));
      workload = merged.merge(std::move(workload));
      space = merged.merge(std::move(space));
      merged_ = std::move(merged);
    }
  }
  CostModel model(workload, original_.architecture);
  if (rules[Rule::BatchOutermost]) take_batches(keep_batch_outermost(space, model.compiled()));
  if (!merged_ && batches_ == 0) return;
  std::optional<CostModel> unstacked;
  if (original_.stack) unstacked.emplace(workload, original_.stack->machine);
  reduced_.emplace(LayerProblem{std::move(workload),
                                original_.architecture,
                                original_.options,
                                std::move(space),
                                std::move(model),
                                nullptr,
                                {},
                                original_.stack,
                                std::move(unstacked)});
  if (std::optional<Mapping>& witness = reduced_->options.witness) {
    if (merged_) witness = merged_->join(*witness);
    if (batches_ != 0) witness = with_batch_outermost(*witness, reduced_->space);
  }
}

void ReducedProblem::take_batches(DimensionMask batches) {
  batches_ = batches;
  const auto count = static_cast<u64>(std::popcount(batches));
  if (count != 0) Gate(original_.options.rules, counts_).pruned(Rule::BatchOutermost, count);
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
  if (!changed()) return;
  answer.statistics.rules += counts_;
  if (answer.witness) answer.witness = restored(*answer.witness);
  if (!answer.found || !merged_) return;
  restore(answer.mapping);
  for (PricedMapping& listed : answer.listed) restore(listed.mapping);
}

void ReducedProblem::restore(Mapping& mapping) const {
  const auto is_gone = [&](const Loop& loop) { return reduced_->space.size[loop.dimension] == 1; };
  if (std::ranges::none_of(mapping.loops(), is_gone)) mapping = merged_->split(mapping, original_.space);
}

}  // namespace heliolite

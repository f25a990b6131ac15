// What LayerSearch makes of the best mapping found: its result with what is proven of it, or why there is none.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_of_counts.h"
#include "engine/search/schedule.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {
namespace {

// The level that needs more cycles than can be counted if all loops are at the outermost one; -1: none does.
int too_slow_level(const LayerProblem& problem) {
  const Compiled& c = problem.model.compiled();
  Mapping m;
  m.level_count = static_cast<u8>(c.level_count);
  for (int i = 0; i < c.level_count; ++i) m.keep[i] = problem.space.levels[i].keep;
  for (int d = 0; d < c.dimension_count; ++d)
    if (c.size[d] > 1) m.add(LoopKind::Temporal, c.level_count - 1, d, c.size[d]);
  const Breakdown b = problem.model.explain(m);
  for (std::size_t i = 0; i < b.level.size(); ++i)
    if (b.level[i].cycles == kTooManyCycles) return static_cast<int>(i);
  return -1;
}

// Values of energy and cycles times what the machine and the layer's operations make of them.
void scale(MappingResult& out, double factor) {
  out.value *= factor, out.lower_bound *= factor;
  if (out.without_peers) out.without_peers->value *= factor, out.without_peers->lower_bound *= factor;
  if (!out.witness) return;
  out.witness->value *= factor;
  for (WitnessEvent& event : out.witness->events)
    for (std::optional<double>* value : {&event.bound, &event.limit, &event.stand_in})
      if (*value) **value *= factor;
}

}  // namespace

MappingResult LayerSearch::conclude(const LayerAnswer& best, double bound) const {
  const Objective objective = problem_->options.objective;
  MappingResult out;
  out.strategy = not_searched(best.end) ? Strategy::Sunstone : problem_->options.strategy;
  out.statistics = best.statistics;
  out.statistics.rules += levels_.order_counts();
  out.witness = best.witness;
  out.mip = best.mip;
  out.evaluator = best.evaluator;
  if (!best.found && !best.why_not_found.empty()) {
    out.why_infeasible = best.why_not_found;
    return out;
  }
  if (!best.found && best.evaluator && best.evaluator->failures > 0) {
    const EvaluatorReport& report = *best.evaluator;
    out.why_infeasible.push_back({"", 0, "evaluator",
                                  fmt::format("gave no mapping a value: {} evaluations, {} failures, the first one: {}",
                                              report.evaluations, report.failures, report.first_failure)});
    return out;
  }
  if (!best.found) {
    const bool limited = problem_->options.budget_seconds || problem_->options.budget_evaluations;
    if (limited && !best.complete) {
      out.end = best.end;
      out.why_infeasible.push_back({"", 0, "", "no mapping was found within the budget"});
    } else {
      out.why_infeasible = why_infeasible(best);
    }
    return out;
  }
  out.mapping = best.mapping;
  out.cost = best.cost;
  out.utilization = problem_->utilization(out.cost.cycles);
  out.value = best.number(objective);
  if (best.evaluator) {
    out.status = Status::Measured;
    out.end = best.end;
    out.why_not_proven = "nothing is known of the evaluator's values";
    if (best.end != SearchEnd::Done) out.why_not_proven += ", and " + explain(best.end, *problem_);
    return out;
  }
  out.lower_bound = bound;
  if (best.lower_bound) out.lower_bound = std::max(out.lower_bound, *best.lower_bound);
  if (best.complete) out.lower_bound = out.value;
  out.gap = out.lower_bound > 0 ? out.value / out.lower_bound - 1 : 0;
  out.status = out.value <= out.lower_bound ? Status::Optimal : Status::Bounded;
  if (out.status != Status::Optimal) {
    out.end = best.end;
    out.why_not_proven = explain(best.end, *problem_);
  }
  if (problem_->whole_model) conclude_by_whole_model(*problem_, best, out);
  scale(out, machine_factor(objective, problem_->architecture, problem_->workload));
  return out;
}

// Where the sizes have no factors that use as many units as the machine asks for.
Diagnostics LayerSearch::idle_units() const {
  const Mapspace& space = problem_->space;
  if (space.least_units <= 1 || problem_->has_all_tiles()) return {};
  const std::optional<u64> most = most_units_of_perfect_factors(space);
  if (!most || *most >= space.least_units) return {};
  return {{"", 0, "min_parallelism",
           fmt::format("{}, and factors that divide the sizes of {} make {} at most; others may make more (--factors "
                       "any), or ask for less",
                       least_units_text(space), problem_->workload.name, *most)}};
}

// Only a search that was complete says that there is none; of others what is known anyway, or no more than that they
// found none.
Diagnostics LayerSearch::why_infeasible(const LayerAnswer& none) const {
  const Mapspace& space = problem_->space;
  const Architecture& architecture = problem_->architecture;
  if (problem_->options.stop != nullptr && problem_->options.stop->load())
    return {{"", 0, "", "stopped before a mapping was found"}};
  Diagnostics out = problem_->has_all_tiles() ? Diagnostics{} : perfect_factor_conflicts(space);
  const Compiled& c = problem_->model.compiled();
  Extents tile;  // the smallest each level must hold: what constraints fix inside it
  tile.fill(1);
  for (int i = 0; i < c.level_count; ++i) {
    const LevelSpace& level = space.levels[i];
    const CompiledLevel& machine = c.level[i];
    for (int d = 0; d < c.dimension_count; ++d)
      tile[d] = std::min<u64>(c.size[d], tile[d] * level.temporal.factor[d].min * level.spatial.factor[d].min);
    u64 used = 0;
    std::string parts;
    for (int v = 0; v < c.tensor_count; ++v) {
      if (!contains(level.keep, v)) continue;
      const u64 words = box_words(c.tensor[v], tile);
      used += machine.taken(v, words);
      parts += fmt::format("{}{} {}{}", parts.empty() ? "" : ", ", problem_->workload.tensors[v].name, words,
                           size_text(problem_->workload.tensors[v]));
    }
    if (used > machine.room)
      out.push_back(
          {"", 0, architecture.levels[i].name,
           fmt::format("holds {} words{}, the smallest tile needs {} ({})", machine.capacity_words(),
                       machine.parts.sized ? fmt::format(" of {} bits", architecture.levels[i].word_bits) : "",
                       ceil_div(used, u64{machine.parts.of_word}), parts)});
  }
  if (out.empty()) out = idle_units();
  if (!out.empty()) return out;
  if (const int level = too_slow_level(*problem_); level >= 0) {
    out.push_back({"", 0, architecture.levels[level].name,
                   "mappings need 2^64 cycles or more at these bandwidths, which cannot be counted; none that needs "
                   "fewer was found"});
    return out;
  }
  if (none.complete) {
    out.push_back({"", 0, "",
                   fmt::format("the constraints of {} leave no mapping that fits{}; see what --free changes",
                               architecture.name, space.least_units > 1 ? " (" + least_units_text(space) + ")" : "")});
    return out;
  }
  std::string found =
      fmt::format("strategy {} found no mapping that fits, there may be one", name(problem_->options.strategy));
  const std::string end = explain(none.end, *problem_);
  if (!end.empty()) found += ": " + end;
  else if (problem_->options.strategy != Strategy::Exact) found += "; exact looks at all";
  out.push_back({"", 0, "", found});
  return out;
}

}  // namespace heliolite

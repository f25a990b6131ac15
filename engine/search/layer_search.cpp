#include "engine/search/layer_search.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/mapping_check.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/certify/reduced_problem.h"
#include "engine/search/exact/exact.h"
#include "engine/search/exact/rest_bounds.h"
#include "engine/search/map.h"
#include "engine/search/schedule.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {

// Made when a search first asks for it: conclusions alone need none.
struct LayerSearch::Reduced {
  std::once_flag made;
  std::optional<ReducedProblem> problem;
  std::unique_ptr<const LayerSearch> search;  // null: there is no smaller problem
};

LayerSearch::LayerSearch(std::unique_ptr<LayerProblem> problem)
    : problem_(std::move(problem)),
      levels_(*problem_),
      reduced_(std::make_shared<Reduced>()),
      kept_(std::make_shared<KeptTables>()) {
  // Sums are asked for after the layer's own optimum.
  if (problem_->options.network) problem_->kept_tables = kept_;
}

LayerAnswer LayerSearch::on_reduced(const std::function<LayerAnswer(const LayerSearch&)>& search) const {
  std::call_once(reduced_->made, [&] {
    reduced_->problem.emplace(*problem_, Factors::Perfect);
    if (!reduced_->problem->changed()) return;
    reduced_->search.reset(new LayerSearch(std::make_unique<LayerProblem>(reduced_->problem->problem())));
  });
  if (!reduced_->search) return search(*this);
  LayerAnswer out = reduced_->search->on_reduced(search);
  reduced_->problem->restore(out);
  return out;
}

Result<LayerSearch> LayerSearch::create(const Workload& workload, const Architecture& architecture,
                                        const SearchOptions& options) {
  if (Diagnostics errors = validate_question(options); !errors.empty()) return errors;
  // Factors that do not divide may round every dimension up, to twice its size at most.
  const double steps = std::ldexp(static_cast<double>(workload.macs()), static_cast<int>(workload.dimensions.size()));
  if (Diagnostics errors = uncountable_energies(workload, architecture, steps); !errors.empty()) return errors;
  auto space = resolve(workload, architecture, mapspace_options(options));
  if (!space) return space.errors();
  Architecture machine = architecture;
  machine.peer_channel = false;
  std::unique_ptr<LayerProblem> problem(
      new LayerProblem{workload, machine, options, *std::move(space), CostModel(workload, machine)});
  if (architecture.peer_channel) {
    CostModel whole(workload, architecture);
    if (peers_matter(problem->space, whole.compiled())) {
      problem->whole_model = std::move(whole);
      // What the search without words from peers has proven is not proven of all mappings.
      if (options.progress)
        problem->options.progress = [report = options.progress](SearchProgress news) {
          news.lower_bound = 0;
          report(news);
        };
    }
  }
  if (Diagnostics errors = witness_complaints(*problem); !errors.empty()) return errors;
  if (Diagnostics errors = factors_complaints(*problem); !errors.empty()) return errors;
  if (Diagnostics errors = ramps_complaints(architecture, options); !errors.empty()) return errors;
  LayerSearch out(std::move(problem));
  if (options.strategy == Strategy::Bayes)
    if (Diagnostics errors = unusable_tasks(*out.problem_, out.levels_.orders()); !errors.empty()) return errors;
  return out;
}

namespace {

// Loops of a tree become loops of the outermost level; parts of a dimension may be less than the machine asks of all of
// it.
void allow_loops_around(Mapspace& space) {
  for (LevelSpace& level : space.levels)
    for (FactorLimits* limits : {&level.temporal.factor, &level.spatial.factor})
      for (FactorLimit& limit : *limits) limit.min = 1;
  TemporalSpace& outermost = space.levels.back().temporal;
  outermost.order = {};
  outermost.allowed = space.non_unit;
  for (int d = 0; d < space.dimension_count; ++d) outermost.factor[d] = {1, space.size[d]};
}

}  // namespace

Result<LayerSearch> LayerSearch::create(const Workload& pass_workload, const Architecture& architecture,
                                        const NestPass& pass, const SearchOptions& options, bool whole_link) {
  auto space = resolve(pass_workload, architecture, mapspace_options(options));
  if (!space) return space.errors();
  Architecture machine = architecture;
  machine.peer_channel = false;
  // What homes take is room of no search; the model's pass need not say it again.
  NestPass own = pass;
  own.taken = 0;
  if (pass.taken != 0)
    if (StorageLevel& home = machine.levels[pass.level]; home.entries) {
      home.entries = *home.capacity_words() - std::min(*home.capacity_words(), pass.taken);
      home.multiple_buffering = 1;
    }
  if (whole_link) allow_loops_around(*space);
  const int top = space->level_count() - 1;
  for (int i = pass.level; pass.at_home != 0 && i < top; ++i) {
    LevelSpace& level = space->levels[i];
    level.keep = static_cast<TensorMask>(level.keep & ~pass.at_home);
    level.open = static_cast<TensorMask>(level.open & ~pass.at_home);
    level.bypass = static_cast<TensorMask>(level.bypass | pass.at_home);
  }
  LayerSearch out(std::unique_ptr<LayerProblem>(
      new LayerProblem{pass_workload, machine, options, *std::move(space), CostModel(pass_workload, machine, own)}));
  // It is searched below one limit after the other.
  if (whole_link) out.problem_->kept_tables = out.kept_;
  return out;
}

LayerAnswer LayerSearch::search(const SearchBudget& budget) const {
  const bool exact = problem_->options.strategy == Strategy::Exact;
  if (problem_->whole_model && !exact) return run_other_by_whole_model(*this, budget);
  LayerAnswer answer = run_strategy(*this, budget);
  if (!exact && answer.end == SearchEnd::Done) answer.end = budget.end(answer.statistics.evaluated);
  return answer;
}

LayerProblem LayerSearch::problem_for_sum(double lambda) const {
  LayerProblem out = *problem_;
  out.options.objective = Objective::weighted_sum(lambda);
  out.options.progress = {};
  out.options.witness.reset();
  out.options.bayes.from.reset(), out.options.bayes.learn.reset();
  return out;
}

LayerSearch LayerSearch::for_sum(double lambda) const {
  LayerSearch out(std::make_unique<LayerProblem>(problem_for_sum(lambda)));
  out.problem_->kept_tables = kept_;
  return out;
}

MappingResult LayerSearch::search_for_sum(double lambda, const Mapping& known, const SearchBudget& budget) const {
  const LayerSearch search = for_sum(lambda);
  return search.conclude(run_from(*this, search, lambda, known, budget), search.first_bound());
}

LayerAnswer LayerSearch::list_for_sum(double lambda, double below_pj, const CostBound& most,
                                      const SearchBudget& budget) const {
  const LayerProblem problem = problem_for_sum(lambda);
  return exact_list(problem, most, key_of_number(problem.options.objective, below_pj), budget);
}

Cost LayerSearch::least_cost() const {
  const CostModel& model = problem_->whole_model ? *problem_->whole_model : problem_->model;
  return compulsory_cost(model, problem_->keep_range()).whole;
}

double LayerSearch::least_sum(double lambda) const {
  return kSumRounding * objective_number(Objective::weighted_sum(lambda), least_cost());
}

double LayerSearch::first_bound() const {
  if (!problem_->options.evaluator.command.empty()) return 0;
  return objective_number(problem_->options.objective, compulsory_cost(problem_->model, problem_->keep_range()).whole);
}

// What LayerSearch makes of the best mapping found: its result with what is proven of it, or why there is none.

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

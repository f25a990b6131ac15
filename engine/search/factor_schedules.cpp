// The steps of a search of one layer over sizes and factors other than those that divide: padded sizes, the second step
// over all tile sizes, and short looks at these.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/model/true_counts/cost.h"
#include "engine/search/all_tiles/any_search.h"
#include "engine/search/cosa/cosa_search.h"
#include "engine/search/schedule.h"
#include "engine/search/sunstone/strategies.h"

namespace heliolite {
namespace {

// A problem with a workload of other sizes in its place, without the progress hook; null where the machine's
// constraints exclude it.
std::unique_ptr<LayerProblem> resized(const LayerProblem& problem, Workload workload) {
  auto space = resolve(workload, problem.architecture, mapspace_options(problem.options));
  if (!space) return nullptr;
  CostModel model(workload, problem.architecture);
  auto out = std::make_unique<LayerProblem>(
      LayerProblem{std::move(workload), problem.architecture, problem.options, *std::move(space), std::move(model)});
  out->options.progress = {};
  return out;
}

// Makes what was found for larger sizes an answer for the true ones; false if it is none.
bool cut(const LayerProblem& problem, LayerAnswer& larger, Counts counts) {
  const std::optional<Mapping> mapping =
      larger.found ? cut_to_size(larger.mapping, problem.model.compiled()) : std::nullopt;
  larger.found = false;
  larger.value = Value::worst();
  larger.complete = false;
  larger.lower_bound.reset();
  if (!mapping || !violations(problem.space, *mapping).empty()) return false;
  const Evaluation e = problem.model.evaluate(*mapping, counts);
  return e.verdict == Verdict::Fits && larger.offer(problem.options.objective, *mapping, e.cost);
}

// What sunstone finds for sizes that divide better, cut to the true ones.
LayerAnswer padded_start(const LayerProblem& problem, const SearchBudget& budget) {
  LayerAnswer best;
  for (Workload& workload : padded_workloads(problem.workload)) {
    const SearchBudget left = budget.after(best.statistics.evaluated);
    if (left.end(0) != SearchEnd::Done) break;
    const auto padded = resized(problem, std::move(workload));
    if (!padded) continue;
    LayerAnswer found = sunstone_search(LevelProblem(*padded), left, kForLargerSizes);
    best.statistics.evaluated += found.statistics.evaluated;
    if (cut(problem, found, Counts::True)) best.offer(problem.options.objective, found.mapping, found.cost);
  }
  return best;
}

// All tile sizes from `start` and from what sizes that divide better give.
LayerAnswer run_all_tile_sizes(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget) {
  const LayerAnswer padded =
      run_step("padded sizes", [&] { return padded_start(problem, share::kPaddedBeforeAny.of(budget)); });
  LayerAnswer out = run_step("all tile sizes", [&] {
    return any_search(problem, std::array{start, padded}, budget.after(padded.statistics.evaluated));
  });
  out.statistics.follow(padded.statistics);
  return out;
}

// More evaluations may not give a dearer answer, so all that a stage does is settled by its own number, not by that of
// the budget: where it starts, and what it tries in which order. What a smaller budget does is the beginning of what a
// larger one does.
LayerAnswer run_in_stages(const LayerSearch& layer, const LayerAnswer& perfect, const SearchBudget& budget) {
  const LayerProblem& problem = layer.problem();
  const Objective objective = problem.options.objective;
  LayerAnswer out, proof;
  const auto left = [&] { return budget.after(out.statistics.evaluated); };
  bool whole = true;  // the last step had all the evaluations that it asks for
  const auto part = [&](u64 evaluations) {
    whole = left().allows(evaluations);
    return left().at_most(evaluations);
  };
  const auto take = [&](const LayerAnswer& found) {
    out.statistics += found.statistics;
    if (!found.found) return;
    out.offer(objective, found.mapping, found.cost);
    if (problem.whole_model && (whole || found.complete)) out.alternatives.push_back(found.mapping);
  };
  std::optional<double> bound;
  for (u64 stage = share::kFactorStages.first;; stage *= share::kFactorStages.growth) {
    take(run_sunstone(layer, part(stage / share::kFactorStageStart)));
    if (left().end(0) == SearchEnd::Done)
      take(run_step("tile climbs", [&] { return climb_tiles(problem, out, part(stage / 2), ClimbShares::InOrder); }));
    if (left().end(0) == SearchEnd::Done) {
      LayerAnswer start;
      if (out.found) start.offer(objective, out.mapping, out.cost);
      proof = run_all_tile_sizes(problem, start, part(stage / 2));
      if (proof.lower_bound) bound = std::max(bound.value_or(0), *proof.lower_bound);
      if (whole || proof.complete) take(proof);
      else out.statistics += proof.statistics;
      if (proof.complete) break;
    }
    if (left().end(0) != SearchEnd::Done || stage >= budget.evaluations_left(0)) break;
  }
  if (perfect.found) out.offer(objective, perfect.mapping, perfect.cost);
  out.complete = proof.complete;
  out.lower_bound = bound;
  out.end = out.complete ? SearchEnd::Done : budget.end(out.statistics.evaluated);
  if (out.end == SearchEnd::Done) out.end = proof.end;
  return out;
}

}  // namespace

LayerAnswer run_other_factors(const LayerSearch& layer, const LayerAnswer& perfect, const SearchBudget& budget) {
  const LayerProblem& problem = layer.problem();
  LayerAnswer start;
  if (perfect.found) start.offer(problem.options.objective, perfect.mapping, perfect.cost);
  const bool ours = info(problem.options.strategy).source.empty();
  LayerAnswer out = ours && budget.limits_evaluations() ? run_in_stages(layer, perfect, budget)
                                                        : run_all_tile_sizes(problem, start, budget);
  out.statistics.follow(perfect.statistics);
  if (!problem.whole_model) return out;
  // What a limit of evaluations has ended does not count: with a larger limit it may not be the answer.
  const bool own = !budget.limits_evaluations() || out.complete;
  const std::vector<Mapping> steps = std::exchange(out.alternatives, {});
  LayerAnswer known = perfect;
  known.alternatives.insert(known.alternatives.end(), steps.begin(), steps.end());
  take_by_whole_model(problem, known, own, out);
  return out;
}

SearchBudget LayerSearch::first_step(const SearchBudget& budget) const {
  return has_second_step() ? share::kPerfectBeforeAny.of(share::kHalf.of(budget)) : budget;
}

bool LayerSearch::has_second_step() const {
  const SearchOptions& options = problem_->options;
  return problem_->has_all_tiles() && climbs_to_all_tiles(options.strategy);
}

// Where the keep rules of the machine are lifted, the second step with them comes first, with half of the budget: a
// larger mapspace has no dearer answer.
LayerAnswer LayerSearch::second_step(const LayerAnswer& perfect, const SearchBudget& budget) const {
  auto closed = with_keep_rules(*problem_);
  if (!closed) return run_other_factors(*this, perfect, budget);
  const Objective objective = problem_->options.objective;
  LayerAnswer from;
  for (const Mapping& mapping : perfect.mappings())
    if (violations(closed->space, mapping).empty())
      from.offer(objective, mapping, problem_->model.evaluate(mapping, problem_->counts()).cost);
  const LayerAnswer known = run_other_factors(LayerSearch(std::move(closed)), from, budget.half());
  LayerAnswer start = perfect;
  for (const Mapping& mapping : known.mappings()) start.alternatives.push_back(mapping);
  if (known.found) start.offer(objective, known.mapping, known.cost);
  LayerAnswer out = run_other_factors(*this, start, budget.after(known.statistics.evaluated));
  out.statistics.follow(known.statistics);
  return out;
}

// Prime sizes have no tiles: the program of sizes that have some says the mapping. Where its answer is none
// of the true sizes the program of those does.
LayerAnswer run_padded_cosa(const LayerSearch& layer, const SearchBudget& budget) {
  const LayerProblem& problem = layer.problem();
  const auto search = [&](std::unique_ptr<LayerProblem> sized, const SearchBudget& part) {
    sized->options.cosa.pad = false;
    return run_strategy(LayerSearch(std::move(sized)), part);
  };
  LayerAnswer out;
  if (auto smooth = resized(problem, smooth_workload(problem.workload))) out = search(std::move(smooth), budget);
  if (out.found && cut(problem, out, problem.counts())) return out;
  const SearchStatistics before = out.statistics;
  out = search(resized(problem, problem.workload), budget.after(before.evaluated));
  out.statistics.follow(before);
  return out;
}

Result<std::string> LayerSearch::cosa_program() const {
  if (!problem_->options.cosa.pad) return cosa_program_text(*problem_);
  const Workload workload = smooth_workload(problem_->workload);
  const auto space = resolve(workload, problem_->architecture, mapspace_options(problem_->options));
  if (!space) return space.errors();
  return cosa_program_text(*resized(*problem_, workload));
}

std::optional<OtherTilesProbe> LayerSearch::probe_other_tiles(const LayerAnswer& perfect,
                                                              const SearchBudget& budget) const {
  const SearchOptions& options = problem_->options;
  if (!options.probe_other_tiles || problem_->whole_model || problem_->has_all_tiles() ||
      options.tiles == Tiles::Uneven || !perfect.found || !climbs_to_all_tiles(options.strategy) ||
      !has_true_counts(problem_->model.compiled()) || budget.end(0) != SearchEnd::Done)
    return std::nullopt;
  LayerProblem problem = *problem_;  // nobody is told of its progress: it is not the layer's search
  problem.options.progress = {};
  problem.options.factors = Factors::Any;
  const SearchBudget all = share::kProbeOfOtherTiles.of(budget).at_most(
      std::clamp(perfect.statistics.evaluated, share::kLeastProbe, share::kMostProbe));
  LayerAnswer start;
  start.offer(options.objective, perfect.mapping, perfect.cost);
  const LayerAnswer padded = padded_start(*problem_, all.half());
  const LayerAnswer found = any_look(problem, std::array{start, padded}, all.after(padded.statistics.evaluated));
  OtherTilesProbe probe;
  probe.mapping = found.mapping;
  probe.cost = found.cost;
  probe.utilization = problem_->utilization(found.cost.cycles);
  probe.value = objective_number(options.objective, found.cost);
  probe.lower_bound = std::min(probe.value, std::max(first_bound(), found.lower_bound.value_or(0)));
  if (found.complete) probe.lower_bound = probe.value;
  const double factor = machine_factor(options.objective, problem_->architecture, problem_->workload);
  probe.value *= factor, probe.lower_bound *= factor;
  probe.evaluated = padded.statistics.evaluated + found.statistics.evaluated;
  return probe;
}

}  // namespace heliolite

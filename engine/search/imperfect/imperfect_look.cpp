#include "engine/search/imperfect/imperfect_look.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/imperfect/imperfect_bound.h"
#include "engine/search/imperfect/imperfect_search.h"

namespace heliolite {
namespace {

// Evaluations: a share of the search's own, but enough to fill the fan-outs once in every way.
constexpr u64 kShare = 20, kLeast = 500, kMost = 3'000;

// Dimensions that could be unrolled.
std::vector<std::string> unrollable(const LayerProblem& problem) {
  std::vector<std::string> out;
  for (int d = 0; d < problem.space.dimension_count; ++d) {
    const bool allowed = std::ranges::any_of(problem.space.levels, [&](const LevelSpace& level) {
      const SpatialSpace& s = level.spatial;
      return (s.fanout_x > 1 && contains(s.allowed_x, d)) || (s.fanout_y > 1 && contains(s.allowed_y, d));
    });
    if (allowed && contains(problem.space.non_unit, d)) out.push_back(problem.workload.dimensions[at(d)].name);
  }
  return out;
}

}  // namespace

std::optional<ImperfectLook> look_at_imperfect(const LayerProblem& problem, const LayerAnswer& perfect) {
  const Compiled& c = problem.model.compiled();
  const double units = static_cast<double>(problem.architecture.compute.instances);
  const auto utilization = [&](u64 cycles) {
    return static_cast<double>(c.macs) / units / static_cast<double>(cycles);
  };
  if (!perfect.found || utilization(perfect.cost.cycles) >= kUsefulShare) return std::nullopt;
  const u64 steps = least_perfect_steps(c, problem.space);
  if (steps == 0 || utilization(steps) >= kUsefulShare) return std::nullopt;
  if (least_imperfect_steps(c, problem.space) > steps / 2) return std::nullopt;
  const u64 evaluations = std::clamp(perfect.statistics.evaluated / kShare, kLeast, kMost);
  LayerProblem other = problem;  // of which nobody is told: it is not the layer's search
  other.options.progress = nullptr;
  const LayerAnswer found = imperfect_search(other, perfect, SearchBudget(other.options).at_most(evaluations));
  if (!found.found || !(found.value < perfect.value)) return std::nullopt;
  ImperfectLook look;
  look.dimensions = unrollable(problem);
  look.perfect_utilization = utilization(steps);
  look.evaluated = found.statistics.evaluated;
  look.mapping = found.mapping;
  look.cost = found.cost;
  look.utilization = utilization(found.cost.cycles);
  look.value = objective_number(problem.options.objective, found.cost);
  return look;
}

}  // namespace heliolite

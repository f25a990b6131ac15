#include "engine/sweep/totals.h"

#include "engine/model/cost_model.h"
#include "engine/search/core/layer_problem.h"
#include "engine/space/mapspace.h"

namespace heliolite {
namespace {

// Rounded sums of doubles grow with each term, so bounds stay bounds when they are summed alike.
void add(Totals& sum, double times, double energy_pj, double cycles, double value, double lower_bound) {
  sum.energy_pj += times * energy_pj;
  sum.cycles += times * cycles;
  sum.value += times * value;
  sum.lower_bound += times * lower_bound;
}

}  // namespace

Totals totals(const std::vector<LayerRecord>& layers) {
  Totals sum;
  bool words_known = true;
  for (const LayerRecord& l : layers) {
    const double runs = static_cast<double>(l.count) * l.weight;
    add(sum, runs, l.energy_pj, l.cycles, l.value, l.lower_bound);
    sum.words_moved += runs * static_cast<double>(l.words_moved);
    sum.least_words += runs * static_cast<double>(l.least_words);
    words_known = words_known && l.least_words > 0;
  }
  if (!words_known) sum.words_moved = sum.least_words = 0;
  return sum;
}

Result<Totals> compulsory_totals(const SweepSpec& spec, const Architecture& machine) {
  Totals sum;
  for (const SweepLayer& layer : spec.layers) {
    const Workload& workload = layer.layer.workload;
    Result<Mapspace> space = resolve(workload, machine, mapspace_options(spec.options));
    if (!space) {
      Diagnostic error = space.errors().front();
      error.message = workload.name + ": " + error.message;
      return error;
    }
    const LayerProblem problem{workload, machine, spec.options, *std::move(space), CostModel(workload, machine)};
    const Cost least = compulsory_cost(problem.model, problem.keep_range()).whole;
    const double value = objective_number(spec.options.objective, least);
    add(sum, static_cast<double>(layer.layer.count) * layer.weight, least.energy.picojoules(),
        static_cast<double>(least.cycles), value, value);
  }
  return sum;
}

}  // namespace heliolite

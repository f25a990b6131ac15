#include "engine/search/study/foreign_mapper.h"

#include <fmt/format.h>

#include "engine/model/mapping_check.h"
#include "engine/model/true_counts/cost.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {
namespace {

// Why the mapspace of the options does not have the mapping; empty if it does.
Diagnostics outside(const Mapping& mapping, const Workload& workload, const Architecture& machine,
                    const SearchOptions& options) {
  Diagnostics out = check(mapping, workload, machine);
  if (!out.empty()) return out;
  const auto refuse = [&](const char* field, const char* why) { out.push_back({"", 0, field, why}); };
  if (!mapping.is_perfect() && options.factors == Factors::Perfect && !options.imperfect)
    refuse("factors", "some do not divide their dimensions; the row allows them with factors any or imperfect");
  if (!mapping.is_even() && options.tiles == Tiles::Even)
    refuse("tiles", "those of a level differ; the row allows them with tiles uneven");
  const Result<Mapspace> space = resolve(workload, machine, mapspace_options(options));
  if (!space) return space.errors();
  const Diagnostics broken = violations(*space, mapping);
  out.insert(out.end(), broken.begin(), broken.end());
  return out;
}

}  // namespace

MappingResult rated(const Result<Mapping>& answer, const Workload& workload, const Architecture& machine,
                    const SearchOptions& options) {
  MappingResult out;
  out.why_infeasible = answer ? outside(*answer, workload, machine, options) : answer.errors();
  if (!out.why_infeasible.empty()) return out;
  const CostModel model(workload, machine);
  const bool any = options.factors == Factors::Any;
  if (any && !answer->is_perfect() && !has_true_counts(model.compiled())) {
    out.why_infeasible = {{"", 0, "factors", "true counts are not defined for this layer's outputs"}};
    return out;
  }
  const Evaluation e = model.evaluate(*answer, any ? Counts::True : Counts::Timeloop);
  out.statistics.evaluated = 1;
  if (e.verdict != Verdict::Fits) {
    out.why_infeasible = {{"", 0, machine.levels[e.level].name, "has no room for its tiles"}};
    return out;
  }
  out.status = Status::Bounded;
  out.mapping = *answer;
  out.cost = e.cost;
  out.value = objective_number(options.objective, e.cost);
  return out;
}

}  // namespace heliolite

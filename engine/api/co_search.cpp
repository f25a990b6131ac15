// Searches of machines and mappings together as users of the library see them (heliolite/co_search.h).
#include <heliolite/co_search.h>

#include <utility>

#include "engine/api/answers.h"
#include "engine/api/inside.h"
#include "engine/search/co_search/co_search.h"

namespace heliolite::api {
namespace {

std::string name_of(CoSearchMachine::State state) {
  switch (state) {
    case CoSearchMachine::State::Searched: return "searched";
    case CoSearchMachine::State::Cut: return "cut";
    case CoSearchMachine::State::Infeasible: return "infeasible";
  }
  return {};
}

}  // namespace

Result<CoSearchAnswer> co_search(const std::vector<WeightedLayer>& layers, const std::vector<Architecture>& machines,
                                 const MapOptions& options) {
  if (machines.empty()) return Diagnostic{"", 0, "machines", "must be at least one"};
  if (layers.empty()) return Diagnostic{"", 0, "layers", "must be at least one"};
  const Result<heliolite::SearchOptions> asked = engine_options(options);
  if (!asked) return asked.errors();
  std::vector<heliolite::Architecture> members;
  for (const Architecture& machine : machines) members.push_back(Inside::of(machine));
  const Result<MachineFamily> family = MachineFamily::create(std::move(members));
  if (!family) return family.errors();
  std::vector<heliolite::WeightedLayer> set;
  for (const WeightedLayer& layer : layers) set.push_back({Inside::of(layer.workload), layer.weight});
  const Result<CoSearchResult> found = heliolite::co_search(set, *family, *asked);
  if (!found) return found.errors();
  CoSearchAnswer out{.status = std::string(heliolite::name(found->status)),
                     .best = found->best,
                     .value = found->value,
                     .lower_bound = found->lower_bound,
                     .gap = found->gap,
                     .layers = {},
                     .machines = {},
                     .evaluated = found->statistics.evaluated,
                     .seconds = found->seconds};
  for (std::size_t i = 0; i < found->layers.size(); ++i)
    out.layers.push_back(public_answer(found->layers[i], layers[i].workload, machines[found->best], 1));
  for (const CoSearchMachine& machine : found->machines)
    out.machines.push_back({name_of(machine.state), machine.value, machine.lower_bound});
  return out;
}

}  // namespace heliolite::api

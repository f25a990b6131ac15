// Searches of layers and networks as users of the library see them (heliolite/map.h).
#include <heliolite/map.h>

#include <algorithm>
#include <utility>

#include "engine/api/answers.h"
#include "engine/api/inside.h"
#include "engine/search/core/option_table.h"
#include "engine/search/map.h"
#include "engine/space/constraint_notes.h"

namespace heliolite::api {
namespace {

NetworkOptimum public_optimum(const NetworkResult& result) {
  const heliolite::NetworkOptimum& best = *result.optimum;
  NetworkOptimum out{.status = std::string(name(best.status)),
                     .value = best.value,
                     .lower_bound = best.lower_bound,
                     .gap = best.gap,
                     .why_not_proven = best.why_not_proven,
                     .lambda = best.lambda > 0 ? std::optional(best.lambda) : std::nullopt,
                     .searches = best.searches,
                     .seconds = best.seconds,
                     .layers_that_differ = {}};
  for (std::size_t i = 0; i < best.own.size(); ++i)
    if (best.own[i]) out.layers_that_differ.push_back(result.layers[i].name);
  return out;
}

}  // namespace

std::vector<OptionInfo> map_options() {
  std::vector<OptionInfo> out;
  for (const SearchOption& option : search_option_table()) {
    OptionInfo info{.name = std::string(option.name),
                    .help = option.help,
                    .allowed = option.allowed,
                    .usual = option.usual,
                    .names = option.names,
                    .strategies = {}};
    for (const Strategy strategy : option.strategies) info.strategies.emplace_back(heliolite::name(strategy));
    out.push_back(std::move(info));
  }
  return out;
}

bool MapAnswer::all_feasible() const { return std::ranges::all_of(layers, &LayerAnswer::feasible); }

Result<MapAnswer> map_network(const Network& network, const Architecture& architecture, const MapOptions& options) {
  const Result<heliolite::SearchOptions> asked = engine_options(options);
  if (!asked) return asked.errors();
  const heliolite::Architecture& machine = Inside::of(architecture);
  heliolite::Network fitted = Inside::of(network);
  fit_products(fitted, machine);
  const Result<NetworkResult> found = heliolite::map_network(fitted, machine, *asked);
  if (!found) return found.errors();
  MapAnswer out{.layers = {},
                .total = public_cost(found->total),
                .seconds = found->seconds,
                .objective = minimised(*asked),
                .value_unit = {},
                .notes = constraint_notes(fitted, machine, {.free = asked->free, .open = asked->open})};
  if (found->optimum) out.optimum = public_optimum(*found);
  if (asked->evaluator.command.empty()) out.value_unit = unit(info(asked->objective));
  if (std::string alone = layers_alone_note(fitted, machine.levels.back().name); !alone.empty())
    out.notes.push_back(std::move(alone));
  for (std::size_t i = 0; i < fitted.layers.size(); ++i)
    out.layers.push_back(public_answer(found->layers[i].result, Inside::handle(std::move(fitted.layers[i].workload)),
                                       architecture, found->layers[i].count));
  return out;
}

Result<LayerAnswer> map_workload(const Workload& workload, const Architecture& architecture,
                                 const MapOptions& options) {
  const Result<heliolite::SearchOptions> asked = engine_options(options);
  if (!asked) return asked.errors();
  const Result<MappingResult> found = heliolite::map_workload(Inside::of(workload), Inside::of(architecture), *asked);
  if (!found) return found.errors();
  return public_answer(*found, workload, architecture, 1);
}

}  // namespace heliolite::api

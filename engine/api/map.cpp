// Searches of mappings, and of machines and mappings together, as users of the library see them (heliolite/map.h,
// heliolite/co_search.h).
#include <fmt/format.h>
#include <heliolite/co_search.h>
#include <heliolite/map.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/api/inside.h"
#include "engine/base/integers.h"
#include "engine/search/co_search/co_search.h"
#include "engine/search/core/option_table.h"
#include "engine/search/map.h"
#include "engine/space/constraint_notes.h"

namespace heliolite::api {
namespace {

NamedValues given_values(const MapOptions& options) {
  NamedValues out = options.others;
  if (!options.objective.empty()) out.emplace_back("objective", options.objective);
  if (!options.strategy.empty()) out.emplace_back("strategy", options.strategy);
  if (options.threads != 0) out.emplace_back("threads", fmt::format("{}", options.threads));
  if (options.budget_seconds) out.emplace_back("budget", fmt::format("{}", *options.budget_seconds));
  return out;
}

std::optional<double> if_known(double number) { return number == 0 ? std::nullopt : std::optional(number); }

ProgressHook engine_hook(std::function<void(const MapProgress&)> progress) {
  if (!progress) return {};
  return [progress = std::move(progress)](const SearchProgress& news) {
    progress({.layer = std::string(news.layer),
              .value = if_known(news.value),
              .lower_bound = if_known(news.lower_bound),
              .evaluated = news.evaluated,
              .layer_done = news.layer_done,
              .layers_done = news.layers_done,
              .layers = news.layers});
  };
}

std::vector<RuleUse> uses_of(const RuleCounts& counts) {
  std::vector<RuleUse> out;
  for (const RuleInfo& rule : kRuleTable) {
    const std::size_t r = at(rule.rule);
    if (counts.calls[r] > 0) out.push_back({std::string(rule.name), counts.calls[r], counts.cuts[r]});
  }
  return out;
}

}  // namespace

Result<heliolite::SearchOptions> engine_options(const MapOptions& options) {
  const Result<std::vector<GivenOption>> given = given_options(given_values(options));
  if (!given) return given.errors();
  Result<heliolite::SearchOptions> out = options_with(*given);
  if (!out) return out;
  out->network = options.for_network;
  out->probe_other_tiles = options.look_at_other_tiles;
  out->progress = engine_hook(options.progress);
  out->stop = options.stop;
  return out;
}

namespace {

// The answer for a layer that was mapped on the machine as `workload` has it.
LayerAnswer public_answer(const heliolite::MappingResult& result, const Workload& workload,
                          const Architecture& architecture, std::uint64_t count) {
  const Architecture chain = result.unit == 0 ? architecture : Inside::chain(architecture, result.unit);
  const auto placed = [&](const heliolite::Mapping& mapping) { return Inside::handle(mapping, workload, chain); };
  LayerAnswer out;
  out.name = workload.name();
  out.count = count;
  out.status = name(result.status);
  if (result.status != Status::Infeasible) out.mapping = placed(result.mapping);
  out.cost = public_cost(result.cost);
  out.utilization = result.utilization;
  out.value = result.value;
  out.lower_bound = result.lower_bound;
  out.gap = result.gap;
  out.strategy = name(result.strategy);
  if (result.end != SearchEnd::Done) out.ended_by = name(result.end);
  out.why_not_proven = result.why_not_proven;
  out.why_infeasible = result.why_infeasible;
  out.evaluated = result.statistics.evaluated;
  out.seconds = result.seconds;
  for (const StepReport& step : result.statistics.steps)
    out.steps.push_back({std::string(step.name), step.evaluated, step.seconds});
  out.rules = uses_of(result.statistics.rules);
  if (const auto& look = result.other_tiles)
    out.other_tiles = OtherTiles{.mapping = placed(look->mapping),
                                 .cost = public_cost(look->cost),
                                 .utilization = look->utilization,
                                 .value = look->value,
                                 .lower_bound = look->lower_bound,
                                 .evaluated = look->evaluated,
                                 .seconds = look->seconds};
  if (const auto& alone = result.without_peers)
    out.without_links = WithoutLinks{std::string(name(alone->status)), alone->value, alone->lower_bound};
  if (const auto& said = result.evaluator)
    out.evaluator = EvaluatorUse{said->evaluations, said->failures, said->first_failure};
  return out;
}

// Searches of layers and networks as users of the library see them (heliolite/map.h).

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

// Searches of machines and mappings together as users of the library see them (heliolite/co_search.h).

namespace {

std::string name_of(CoSearchMachine::State state) {
  constexpr std::array kNames{"searched", "cut", "infeasible"};
  return kNames[at(state)];
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

#include "engine/api/answers.h"

#include <fmt/format.h>

#include <utility>

#include "engine/api/inside.h"
#include "engine/base/integers.h"
#include "engine/search/core/option_table.h"

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

}  // namespace heliolite::api

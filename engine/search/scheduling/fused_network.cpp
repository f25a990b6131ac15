#include "engine/search/scheduling/fused_network.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "arch/peer_channel.h"
#include "engine/model/running_units.h"
#include "engine/search/validate_question.h"

namespace heliolite {

std::vector<LinkPass> FusedNetwork::passes() const {
  std::vector<LinkPass> out;
  for (const LinkBreakdown& link : cost.links) out.push_back(link.pass);
  return out;
}

Diagnostics unfusable(const SearchOptions& options, const Architecture& architecture) {
  Diagnostics errors = validate_question(options);
  const auto refuse = [&](const char* field, const std::string& value, const char* allowed) {
    errors.push_back(
        {"", 0, field, fmt::format("'{}' is not searched where layers are fused: must be {}", value, allowed)});
  };
  if (options.strategy != Strategy::Exact) refuse("strategy", std::string(name(options.strategy)), "exact");
  if (options.tiles != Tiles::Even) refuse("tiles", "uneven", "even");
  if (options.factors != Factors::Perfect) refuse("factors", "any", "perfect");
  if (options.open) refuse("open", "on", "left out, keep rules hold");
  if (!options.evaluator.command.empty())
    refuse("evaluator", options.evaluator.command, "left out, energy and cycles are summed up");
  else
    for (Diagnostic& error : objective_complaints(options.objective, architecture)) errors.push_back(std::move(error));
  if (architecture.peer_channel)
    errors.push_back({"", 0, "fuse",
                      fmt::format("{} has {}, which schedules do not count: ask with {} off", architecture.name,
                                  kPeerChannel.name, kPeerChannel.option)});
  if (architecture.ramps) errors.push_back(ramps_not_counted(architecture));
  return errors;
}

namespace {

// Loops around several layers are those of one chain of levels: the machine without its further units.
Result<Architecture> one_chain(const Network& network, const Architecture& architecture) {
  Diagnostics errors;
  for (const Layer& layer : network.layers) {
    const Result<std::vector<std::size_t>> units = units_that_run(layer.workload, architecture);
    if (!units) errors.insert(errors.end(), units.errors().begin(), units.errors().end());
    else if (units->front() != 0)
      errors.push_back({layer.workload.name, 0, "operation",
                        fmt::format("{} runs on {}: fused layers are all on {}; map without --fuse, or leave operators "
                                    "on edges (@operators=free)",
                                    name(layer.workload.operation), architecture.chain(units->front()).compute.name,
                                    architecture.compute.name)});
  }
  if (!errors.empty()) return errors;
  Architecture alone = architecture;
  alone.units.clear();
  return alone;
}

}  // namespace

Result<FusedNetwork> fuse_network(const Network& network, const Architecture& all_units, SearchOptions options,
                                  const FusionRules& rules) {
  if (Diagnostics errors = unfusable(options, all_units); !errors.empty()) return errors;
  const Result<Architecture> chain = one_chain(network, all_units);
  if (!chain) return chain.errors();
  const Architecture& architecture = *chain;
  Result<LinkGraph> graph = graph_of_network(network);
  if (!graph) return graph.errors();
  FusedNetwork out{.graph = *std::move(graph), .best = {}, .cost = {}};
  if (!options.budget_evaluations && !options.budget_seconds) options.budget_seconds = kFusedBudgetSeconds;
  out.budget_seconds = options.budget_seconds;
  Result<FusedOptimum> best = search_fused(out.graph, architecture, options, rules);
  if (!best) return best.errors();
  out.best = *std::move(best);
  Result<ScheduleBreakdown> cost = schedule_breakdown(out.best.schedule, out.graph, architecture, rules);
  if (!cost) return cost.errors();
  out.cost = *std::move(cost);
  if (!out.best.unfused_value) return out;
  Result<ScheduleBreakdown> unfused = schedule_breakdown(out.best.unfused, out.graph, architecture, rules);
  if (!unfused) return unfused.errors();
  out.unfused = *std::move(unfused);
  return out;
}

}  // namespace heliolite

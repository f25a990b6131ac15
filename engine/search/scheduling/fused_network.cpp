#include "engine/search/scheduling/fused_network.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "arch/peer_channel.h"
#include "engine/network/group_plan.h"
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

Result<FusedNetwork> fuse_network(const Network& network, const Architecture& architecture, SearchOptions options,
                                  const FusionRules& rules) {
  if (Diagnostics errors = unfusable(options, architecture); !errors.empty()) return errors;
  Result<LinkGraph> graph = graph_of_network(network);
  if (!graph) return graph.errors();
  if (Diagnostics errors = unit_complaints(*graph, architecture); !errors.empty()) return errors;
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

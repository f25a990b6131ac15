#pragma once
// A network on a machine, its layers fused where that is best: the door of fused/ for commands, programs and suites,
// which refuses by name what schedules do not have.
#include <optional>
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/network/fused_breakdown.h"
#include "engine/network/link_graph.h"
#include "engine/search/core/options.h"
#include "engine/search/fused/fused_search.h"
#include "workloads/network.h"

namespace heliolite {

// A whole network's budget if the options have no limit: large ones have more trees than anybody waits for.
inline constexpr double kFusedBudgetSeconds = 10;

// Where several compute units can run layers, each choice of a unit for each is searched, in its part of the limits, up
// to this number of choices.
inline constexpr std::size_t kMostUnitChoices = 64;

// What no answer has looked at.
inline constexpr std::string_view kLeftOutOfFusion =
    "work done twice, layers that run at the same time, several fusing levels in a group, fusing inside a fan-out, "
    "other orders of the layers, uneven tiles and factors that do not divide";

struct FusedNetwork {
  LinkGraph graph;    // of several choices of units that of the best: its links name them
  FusedOptimum best;  // its value and bound with what machine and operations make of them
  ScheduleBreakdown cost;
  // The cost of the best schedule without groups, if one was found.
  std::optional<ScheduleBreakdown> unfused{};
  std::optional<double> budget_seconds{};  // that it had; none: evaluations alone were limited

  // Passes of the links, in their order.
  std::vector<LinkPass> passes() const;
};

// Why a question with these options, or of this machine, has no schedules as answers: each with what to write instead.
Diagnostics unfusable(const SearchOptions& options, const Architecture& architecture);

// The network must have its edges (Wanted::Edges). Errors: those of unfusable(), edges that make no graph, too many
// choices of units, and that no schedule is legal.
Result<FusedNetwork> fuse_network(const Network& network, const Architecture& architecture,
                                  const SearchOptions& options, const FusionRules& rules = {});

// Searches the schedules of links; the question must not be unfusable().
Result<FusedNetwork> fuse_links(LinkGraph graph, const Architecture& architecture, SearchOptions options,
                                const FusionRules& rules = {});

}  // namespace heliolite

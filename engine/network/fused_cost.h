#pragma once
// What a schedule costs. Counts and prices are the cost model's (engine/model): the nest of one pass is counted as any
// mapping's, with the fusing level as the outermost one of tensors that have their home there, times the passes.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/collapse.h"
#include "engine/model/cost.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/group_plan.h"
#include "engine/network/link_graph.h"

namespace heliolite {

// A link over all of its passes: words by tensor and level, and what they cost.
struct LinkCost {
  Cost cost;
  CollapsedTraffic words;
};

// The link of one pass: its Einsum with the pass's sizes.
Workload pass_workload(const Workload& link, const LinkPass& pass);

// The cost of a link that runs like this; or why the mapping (of the pass's sizes) cannot run there. `homes`: what
// takes the room of the fusing level meanwhile (homes_text()), for messages.
Result<LinkCost> link_cost(const Workload& link, const Architecture& architecture, const LinkPass& pass,
                           const Mapping& mapping, const std::string& homes = {});

// Reading a sum's term word by word: a row of its own, in no link's cycles.
Cost term_cost(const SumTerm& term, const LinkGraph& graph, const Architecture& architecture);

// All terms of a group, of one repetition.
Cost terms_cost(const GroupPlan& plan, const LinkGraph& graph, const Architecture& architecture);

// A schedule's cost, repetitions multiplied in, with that of its links and terms, which are of one repetition.
struct ScheduleCost {
  Cost total;
  std::vector<LinkCost> links;  // [link]
  std::vector<Cost> terms;      // in the order of the groups' plans
};

// Why the schedules of this machine, which counts ramps (docs/cost_model.md, rule 46), have no cost.
Diagnostic ramps_not_counted(const Architecture& architecture);

// Links and groups run one after the other. Errors say all that makes the schedule illegal.
Result<ScheduleCost> schedule_cost(const FusedSchedule& schedule, const LinkGraph& graph,
                                   const Architecture& architecture, const FusionRules& rules = {});

}  // namespace heliolite

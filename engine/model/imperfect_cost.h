#pragma once
// Legality and cost of a mapping with imperfect factors: the totals of CostModel::explain, without the table of counts.
#include <vector>

#include "engine/model/collapse.h"
#include "engine/model/compiled.h"
#include "engine/model/imperfect_nest.h"
#include "engine/model/mapping.h"
#include "engine/model/multicast.h"

namespace heliolite {

// Traffic of nests with imperfect factors, by the rules of Timeloop: closed forms where they exist, elsewhere
// a walk of the nest that remembers equal states. Perfect factors are a special case.

// Choices that change the time and not the counts.
struct ImperfectOptions {
  bool closed_forms = true;  // false: walk everything; the result is the same
  bool records = true;       // false: leave LevelNest::records empty (enough where the network costs nothing)
};

// Storage that evaluations one after the other share; each thread needs its own.
struct ImperfectWorkspace {
  ImperfectWalk walk;
  std::vector<u64> words;  // [context of a fan-out]
  std::vector<ReceiverGroups> groups;
  LevelNest level;  // where only one is needed at a time
};

// Overwrites `out`, whose storage is reused. The mapping must be well formed (mapping_check.h): factors reach the
// sizes, residuals are legal, loops are in nest order.
void imperfect_traffic(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace,
                       NestTraffic& out, const ImperfectOptions& options = {});

// Whether the mapping fits, and its cost if it does; it must be well formed (mapping_check.h). The cost is equal to the
// totals of explain() to the last unit. With a workspace that has been used before nothing is allocated.
Evaluation imperfect_cost_of(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace);

}  // namespace heliolite

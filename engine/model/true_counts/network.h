#pragma once
// What a network below a level carries for one tensor (docs/cost_model.md, rules 38, 40).
#include <optional>
#include <vector>

#include "engine/base/energy.h"
#include "engine/model/compiled.h"
#include "engine/model/true_counts/multicast_groups.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {

// All words on their way from level i to the tiles below it, as if these were kept there, sorted by `multicast`.
void multicast_traffic(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level,
                       std::vector<MulticastTraffic>& out);

// What the network costs, of all senders together.
struct TrueNetworkSum {
  u64 ingress_words = 0;
  double hop_words = 0;
  double router_words = 0;

  Energy energy(const CompiledLevel& machine, int v) const;  // of words of tensor v
};

// Words that the network below a level carries because interconnects inside it pass on all that they are asked for,
// more than multicast_traffic() counts; none: there are no interconnects.
std::optional<u64> passing_words(const Compiled& c, int tensor, const TrueNest& nest, int level);

// `accesses`: words that arrive at the level; `part`: of them those of an output that are not read first; `traffic`:
// empty where neither hops nor routers cost anything. `passing`: of passing_words().
TrueNetworkSum network_sum(const CompiledLevel& machine, bool is_output, u64 accesses, u64 part,
                           const std::vector<MulticastTraffic>& traffic, std::optional<u64> passing);

}  // namespace heliolite

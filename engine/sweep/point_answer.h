#pragma once
// The mappings that a sweep gives the layers of a machine: each its own, or those of the layers of each network
// together, for the network's own objective or the least one within limits (docs/rules/network.md).
#include <optional>
#include <span>
#include <vector>

#include "engine/search/core/answer.h"
#include "engine/search/network/layer_hull.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Whether a point's layers are mapped together.
bool maps_together(const SweepSpec& spec);

// The sweep's limits, delays in cycles of this length.
CostLimits limits_in_cycles(const SweepSpec& spec, std::optional<double> cycle_ns);

struct PointMappings {
  std::vector<MappingResult> layers;  // Infeasible where no mappings keep to the limits
  std::vector<bool> outside{};        // [layer]: that is why; none: there are no limits
  // Where layers were mapped together: no mappings of the point have less, in the unit of its value.
  std::optional<double> lower_bound;
  bool proven = true;  // nothing is better; within limits: no corner of the networks' trade-off curves is
};

// The layers of a sweep with these numbers on a machine; if maps_together(), all of them. Errors as map_network().
Result<PointMappings> map_layers(const SweepSpec& spec, std::size_t first, std::size_t count,
                                 const Architecture& machine, const SearchOptions& options);

}  // namespace heliolite

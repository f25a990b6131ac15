#pragma once
// Starts for climbs where sizes have few divisors: what a fast search finds with perfect factors for slightly larger
// sizes that have many, cut to the true ones.
#include <optional>
#include <vector>

#include "engine/search/core/layer_problem.h"

namespace heliolite {

// The workload with its dimensions enlarged, several ways; none where no dimension has a better size near.
std::vector<Workload> padded_workloads(const Workload& workload);

// The workload with each dimension enlarged to the next size without prime factors above 7.
Workload smooth_workload(const Workload& workload);

// A mapping of larger sizes with its loops cut to what `c` has to do; those that have nothing are left out. Nothing if
// the loops do not cover the sizes.
std::optional<Mapping> cut_to_size(const Mapping& mapping, const Compiled& c);

}  // namespace heliolite

#pragma once
// What of a machine's constraints is read otherwise than it is written, because the layers of a network are not all
// what the machine's author had in mind.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/space/factor_places.h"
#include "engine/space/mapspace.h"
#include "workloads/network.h"

namespace heliolite {

// One note of each kind for the whole network, with the layers it is for: words taken by role, words that mean nothing,
// names that could mean two things, factors cut down to a layer's sizes. None if the constraints are lifted. Layers
// that cannot obey the constraints are no part of it: resolve() complains of them.
std::vector<std::string> constraint_notes(const Network& network, const Architecture& architecture,
                                          MapspaceOptions options = {});

// The factors that resolve() cuts down; none if it refuses.
std::vector<CutFactor> cut_factors(const Workload& workload, const Architecture& architecture,
                                   MapspaceOptions options = {});

}  // namespace heliolite

#pragma once
// The way back from a node of the layered graph to the loops that led there.
#include <vector>

#include "engine/search/exact/frontier.h"

namespace heliolite {

// The loops up to `level`, of which `last` is a node. `layers`: the stages before it; layers[i] is the one before
// level i.
Mapping nest_of(const FlowCosts& model, const std::vector<Frontier>& layers, int level, const FrontierNode& last);

}  // namespace heliolite

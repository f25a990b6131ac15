#pragma once
// Levels whose tensors have tiles of their own as stacks of levels: as many as the level may hold tensors. Each holds
// one at most, and all share the level's room and rates. So the orders of the tiles are choices of what levels hold
// (docs/rules/proof.md, Uneven tiles).
#include <optional>

#include "engine/model/mapping.h"
#include "engine/proof/instance.h"

namespace heliolite::proof {

// The instance with a stack in place of each level of uneven tiles.
Instance with_stacks(const Instance& instance);

// A mapping of the machine as one of the stacks. None: its tiles are uneven where those of the instance are not.
std::optional<Mapping> on_stacks(const Mapping& mapping, const Instance& instance);
// And back: what the stacks' levels say of the levels that they stand for.
Mapping off_stacks(const Mapping& mapping, const Instance& instance);

}  // namespace heliolite::proof

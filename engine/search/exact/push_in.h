#pragma once
// Rule push-in (docs/rules/exact.md): a mapping is no worse if part of a level's innermost loop moves into the level
// inside, where the tile has room for it.
#include <optional>
#include <vector>

#include "engine/search/exact/flow_costs.h"

namespace heliolite {

// A level of a mapping whose loops are placed.
struct PlacedLevel {
  LatticePoint unrolled;  // the tile below its temporal loops
  LatticePoint tile;      // and with them
  u64 order = 0;          // dimensions of these loops, as in FrontierNode
  u32 servers = 0;        // set of servers of the stage before the level
  u64 room = 0;           // parts of words of the levels inside that share its room
};

// A level of a perfect mapping within the model's range of keep choices.
PlacedLevel placed_level(const FlowCosts& model, const Mapping& mapping, int level);

// [axis of the lattice]: its dimension, if a factor of its prime may move from an innermost loop of `level` (1 or more)
// into `inside`, the level inside it; else no dimension. Then the moved mapping is legal on the machine and costs no
// more.
std::vector<DimensionMask> room_inside(const FlowCosts& model, u32 machine, int level, const PlacedLevel& inside);

// The mapping with a factor of the axis' prime taken from its loop of `level` and put into an outermost loop of the
// level inside. None if that loop does not have the factor.
std::optional<Mapping> moved_in(const Mapping& mapping, int level, const LatticeAxis& axis);

}  // namespace heliolite

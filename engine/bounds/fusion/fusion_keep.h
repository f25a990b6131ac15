#pragma once
// The Pareto-optimal choices of the links whose weights stay in the buffer.
#include <span>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// The weights of one link.
struct KeepItem {
  u64 room = 0;   // words that keeping takes
  u64 saved = 0;  // accesses that it saves
};

// Weights that stay together.
struct KeptSet {
  u64 mask = 0;  // bit e: item e
  u64 room = 0, saved = 0;
};

// The sets that matter, by rising room; each saves more than all before. The items of the mask `forced` are in every
// set.
std::vector<KeptSet> kept_sets(std::span<const KeepItem> items, u64 forced);

}  // namespace heliolite

#pragma once
// How large a cache with least-recently-used replacement must be to move no more than a tiling says.
#include <optional>

#include "engine/bounds/tiling/iotile_problem.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

// [words]: loads of a fully associative LRU cache of this size, from 0 up to all words of the nest, by Mattson,
// Evaluation techniques for storage hierarchies, 1970: one execution gives all sizes. Outputs are read.
std::vector<u64> lru_loads(const LoopNest& nest);

// The least words with which an LRU cache loads no more than `tile` says, measured on the execution, or where that has
// more than a million touches, on one of up to three tiles along each dimension, which the whole may exceed a little.
// Nothing if even that is too long to be executed (50 million touches). For the product of matrices in T x T x 1 tiles:
// T^2 + 3 T + 1, the tile, a row of the next operand twice and a column.
std::optional<u64> reuse_window(const Workload& workload, const TiledLevel& tile);

// The tiling that moves the fewest words of those found whose reuse window fits the cache. Nothing if none does or
// windows cannot be measured.
std::optional<TiledLevel> best_lru_tile(const Workload& workload, u64 capacity, TrafficRule rule);

}  // namespace heliolite

#pragma once
// Largest values of the options of a search.
#include "engine/base/types.h"

namespace heliolite {

inline constexpr double kMaxBudgetSeconds = 1e7;
inline constexpr u64 kMaxThreads = 1024;

// The largest seed and number of evaluations; a double still holds it exactly.
inline constexpr u64 kMaxCount = u64{1} << 53;

// Illegal mappings in a row after which Timeloop's mappers give up, and random, of whose draws fewer are legal.
inline constexpr u64 kTimeloopTimeout = 1'000, kRandomTimeout = 250'000;

// The search of uneven tiles looks at no more orders of the levels' stores, over all keep choices.
inline constexpr std::size_t kMostStoreOrders = 1 << 12;

}  // namespace heliolite

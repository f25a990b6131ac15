#pragma once
// Largest values of the options of a search, and of what the exact search enumerates.
#include "engine/base/types.h"

namespace heliolite {

inline constexpr double kMaxBudgetSeconds = 1e7;
inline constexpr u64 kMaxThreads = 1024;

// The largest seed and number of evaluations; a double still holds it exactly.
inline constexpr u64 kMaxCount = u64{1} << 53;

// The exact search lists every choice of the tensors that each level keeps, if there are at most this many.
inline constexpr u64 kMostKeepChoices = 1 << 16;

// The search of uneven tiles looks at no more orders of the levels' stores, over all keep choices.
inline constexpr std::size_t kMostStoreOrders = 1 << 12;

}  // namespace heliolite

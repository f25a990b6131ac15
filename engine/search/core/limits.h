#pragma once
// What searches look at, and what budgets, seeds and numbers of evaluations may be, at most.
#include "engine/base/types.h"

namespace heliolite {

inline constexpr double kMaxBudgetSeconds = 1e7;
inline constexpr u64 kMaxCount = u64{1} << 53;

// Ways to keep tensors or to pass them by, where the machine leaves that open, that exact looks at.
inline constexpr u64 kMostKeepChoices = 1 << 16;

}  // namespace heliolite

#pragma once
// What budgets, seeds and numbers of evaluations may be at most, in files and on the command line.
#include "engine/base/types.h"

namespace heliolite {

inline constexpr double kMaxBudgetSeconds = 1e7;
inline constexpr u64 kMaxCount = u64{1} << 53;

}  // namespace heliolite

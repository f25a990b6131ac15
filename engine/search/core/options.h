#pragma once
// What a search is asked for and what it may use.
#include <atomic>
#include <optional>

#include "engine/search/core/objective.h"
#include "engine/search/core/progress.h"
#include "engine/search/core/rules.h"
#include "engine/search/core/strategy.h"

namespace heliolite {

struct SearchOptions {
  Objective objective = Objective::Edp;
  Strategy strategy = Strategy::Exact;
  RuleSet rules;
  int threads = 0;                          // 0 = every core
  bool free = false;                        // lift the machine's dataflow constraints (keep rules stay)
  bool imperfect = false;                   // also tiles that do not divide the bounds
  bool look_at_imperfect = false;           // with perfect factors: look also at others where those are of little use
  std::optional<double> budget_seconds;     // of one layer
  std::optional<u64> budget_evaluations;    // of one layer
  u64 memory_bytes = u64{2} << 30;          // that the exact search of one layer holds at most
  u64 seed = 1;                             // random only
  u64 victory = 500;                        // random only: legal mappings in a row without an improvement
  const std::atomic<bool>* stop = nullptr;  // set from outside: return the best so far
  ProgressHook progress;                    // when a part of a layer, or a layer, is done
};

}  // namespace heliolite

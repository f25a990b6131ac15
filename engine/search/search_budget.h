#pragma once
// When a search has to stop before it is done.
#include <algorithm>
#include <chrono>

#include "engine/search/map.h"

namespace heliolite {

class SearchBudget {
 public:
  explicit SearchBudget(const SearchOptions& options) : options_(options), start_(std::chrono::steady_clock::now()) {}

  bool allows(u64 evaluations) const {
    return !options_.budget_evaluations || evaluations <= *options_.budget_evaluations;
  }
  u64 evaluations_left(u64 evaluations) const {
    if (!options_.budget_evaluations) return ~u64{0};
    return *options_.budget_evaluations - std::min(evaluations, *options_.budget_evaluations);
  }
  // Out of time, or told to stop. Looks at the clock: not for every evaluation.
  bool over() const {
    if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) return true;
    return options_.budget_seconds &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() >= *options_.budget_seconds;
  }

 private:
  const SearchOptions& options_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace heliolite

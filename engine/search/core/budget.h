#pragma once
// When a search has to stop before it is done. A layer has one budget for all steps of its search: each step is told
// what the steps before it have left.
#include <algorithm>
#include <chrono>
#include <limits>

#include "engine/search/core/options.h"
#include "engine/search/core/search_end.h"

namespace heliolite {

// A search prices at most so many mappings more than it may: steps end where they have something to show.
inline constexpr u64 kEvaluationSlack = 256;

class SearchBudget {
 public:
  // Everything that the options allow, from now on.
  explicit SearchBudget(const SearchOptions& options) : options_(&options), start_(Clock::now()) {
    if (options.budget_evaluations) evaluations_ = *options.budget_evaluations;
    if (options.budget_seconds) seconds_ = *options.budget_seconds;
  }

  bool limited() const { return evaluations_ != kUnlimited || seconds_ != kForever; }
  bool limits_evaluations() const { return evaluations_ != kUnlimited; }

  bool allows(u64 evaluations) const { return evaluations <= evaluations_; }
  u64 evaluations_left(u64 evaluations) const {
    return limits_evaluations() ? evaluations_ - std::min(evaluations, evaluations_) : kUnlimited;
  }
  // Told to stop from outside.
  bool stopped() const { return options_->stop != nullptr && options_->stop->load(std::memory_order_relaxed); }
  // Out of time, or told to stop. Looks at the clock: not for every evaluation.
  bool over() const { return stopped() || (seconds_ != kForever && elapsed() >= seconds_); }

  // Why a search that has priced so many mappings has to end now; Done if it need not.
  SearchEnd end(u64 evaluations) const {
    if (stopped()) return SearchEnd::Stopped;
    if (over()) return SearchEnd::Time;
    return evaluations_left(evaluations) == 0 ? SearchEnd::Evaluations : SearchEnd::Done;
  }

  // What is left when so much has been used.
  SearchBudget after(u64 evaluations, double seconds = 0) const {
    SearchBudget left = *this;
    left.evaluations_ = evaluations_left(evaluations);
    if (seconds_ != kForever) left.seconds_ = std::max(0.0, seconds_ - seconds);
    return left;
  }
  // At most so many evaluations.
  SearchBudget at_most(u64 evaluations) const {
    SearchBudget part = *this;
    part.evaluations_ = std::min(evaluations_, evaluations);
    return part;
  }
  // For the first of two steps: half of the evaluations, and half of the time.
  SearchBudget half() const {
    SearchBudget part = *this;
    if (limits_evaluations()) part.evaluations_ = evaluations_ - evaluations_ / 2;
    if (seconds_ != kForever) part.seconds_ = seconds_ / 2;
    return part;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr u64 kUnlimited = ~u64{0};
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const SearchOptions* options_;
  Clock::time_point start_;
  u64 evaluations_ = kUnlimited;
  double seconds_ = kForever;  // from the start
};

}  // namespace heliolite

#pragma once
// The budget of a search: when it has to stop before it is done. A layer has one budget for all steps of its search:
// each step gets what the steps before it have left.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/named.h"
#include "engine/base/types.h"

namespace heliolite {

struct LayerProblem;
struct SearchOptions;

// Why a search ended before it had covered its mapspace.
enum class SearchEnd : u8 {
  Done,         // no limit ended it
  Keeps,        // all tile sizes were not searched: more ways to keep or bypass tensors than that search lists
  Tables,       // exact did not search: its fan-outs and rest bounds do not fit the memory
  Stores,       // uneven tiles were not searched: more orders of the levels' stores than are looked at
  Flows,        // exact left out partial mappings with more sliding flows than it has room for
  Memory,       // exact left out partial mappings that the memory has no room for
  Evaluations,  // the budget of evaluations is used up
  Time,         // the budget of seconds is used up
  Stopped,      // somebody outside asked it to stop
  Evaluator,    // the evaluator failed too often in a row
};

// The names in JSON. These names do not change.
constexpr ValueNames<10> value_names(SearchEnd) {
  return {"done", "keeps", "tables", "stores", "flows", "memory", "evaluations", "budget", "interrupted", "evaluator"};
}

// Whether exact did not search at all, so that the answer is that of sunstone, from which it would have started.
constexpr bool not_searched(SearchEnd end) { return end == SearchEnd::Keeps || end == SearchEnd::Tables; }

// The reason as a sentence without a full stop, with the numbers of the problem. Empty for Done.
std::string explain(SearchEnd end, const LayerProblem& problem);

// A search may price this many mappings more than its budget allows, so that a step can end with a complete mapping.
inline constexpr u64 kEvaluationSlack = 256;

// Wall time since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Evaluations (mappings priced) and seconds that are left to a step. Copies share the flag that asks to stop.
class SearchBudget {
 public:
  // All that the options allow; the clock starts now. The flag by which the options ask to stop must outlive the
  // budget.
  explicit SearchBudget(const SearchOptions& options);

  bool limited() const { return evaluations_ != kUnlimited || seconds_ != kForever; }
  bool limits_evaluations() const { return evaluations_ != kUnlimited; }

  // Whether a step may price `evaluations` mappings in all.
  bool allows(u64 evaluations) const { return evaluations <= evaluations_; }
  // How many it may still price after `evaluations`.
  u64 evaluations_left(u64 evaluations) const {
    return limits_evaluations() ? evaluations_ - std::min(evaluations, evaluations_) : kUnlimited;
  }
  // How many seconds are left; none: no limit.
  std::optional<double> seconds_left() const {
    if (seconds_ == kForever) return std::nullopt;
    return std::max(0.0, seconds_ - elapsed());
  }
  // Whether somebody outside the search has asked it to stop (SearchOptions::stop), or the flag of until() is set.
  bool stopped() const { return is_set(stop_) || is_set(needless_); }
  // Whether the time is up or somebody asked to stop. Reads the clock: too slow to ask at every evaluation.
  bool over() const { return stopped() || (seconds_ != kForever && elapsed() >= seconds_); }

  // Why a step that has priced `evaluations` mappings has to end now; Done if it need not.
  SearchEnd end(u64 evaluations) const {
    if (stopped()) return SearchEnd::Stopped;
    if (over()) return SearchEnd::Time;
    return evaluations_left(evaluations) == 0 ? SearchEnd::Evaluations : SearchEnd::Done;
  }

  // The budget of the next step when this one has used `evaluations` and `seconds`.
  SearchBudget after(u64 evaluations, double seconds = 0) const {
    SearchBudget left = *this;
    left.evaluations_ = evaluations_left(evaluations);
    if (seconds_ != kForever) left.seconds_ = std::max(0.0, seconds_ - seconds);
    return left;
  }
  // All the time, but at most `evaluations` evaluations.
  SearchBudget at_most(u64 evaluations) const {
    SearchBudget part = *this;
    part.evaluations_ = std::min(evaluations_, evaluations);
    return part;
  }
  // All the time with `evaluations` evaluations, also if they are more: the budget of a stage that a larger budget
  // settles.
  SearchBudget with_evaluations(u64 evaluations) const {
    SearchBudget out = *this;
    out.evaluations_ = evaluations;
    return out;
  }
  // All the evaluations, but only a share of the time that is left.
  SearchBudget part_of_time(double share) const {
    SearchBudget part = *this;
    if (seconds_ == kForever) return part;
    const double gone = std::min(elapsed(), seconds_);
    part.seconds_ = gone + (seconds_ - gone) * share;
    return part;
  }
  // All of it, but no longer than until this flag is set, which must outlive the budget: what is searched for is known
  // then.
  SearchBudget until(const std::atomic<bool>& needless) const {
    SearchBudget out = *this;
    out.needless_ = &needless;
    return out;
  }
  // A share of the time that is left, and as large a share of the evaluations.
  SearchBudget part(double share) const {
    SearchBudget out = part_of_time(share);
    if (limits_evaluations()) out.evaluations_ = static_cast<u64>(share * static_cast<double>(evaluations_));
    return out;
  }
  // The budget of the first of two steps: half of the evaluations, rounded up, and half of the time that is left.
  SearchBudget half() const {
    SearchBudget out = part_of_time(0.5);
    if (limits_evaluations()) out.evaluations_ = evaluations_ - evaluations_ / 2;
    return out;
  }

 private:
  static constexpr u64 kUnlimited = ~u64{0};
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  double elapsed() const { return clock_.seconds(); }
  static bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }

  const std::atomic<bool>* stop_;
  const std::atomic<bool>* needless_ = nullptr;
  Stopwatch clock_;
  u64 evaluations_ = kUnlimited;
  double seconds_ = kForever;  // by the clock
};

}  // namespace heliolite

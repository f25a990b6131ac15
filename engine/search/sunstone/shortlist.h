#pragma once
// The best few of many partial plans: at most twice as many are held at a time.
#include <algorithm>
#include <vector>

#include "engine/search/sunstone/partial_plan.h"

namespace heliolite {

// Collects plans and keeps the best.
class Shortlist {
 public:
  // Keeps the `width` best.
  explicit Shortlist(std::size_t width) : width_(width) {}

  void add(const PartialPlan& p) {
    ++offered_;
    if (full_ && worst_ < p.score.value) return;
    plans_.push_back(p);
    if (plans_.size() / 2 >= width_) trim();
  }
  // How many were added, kept or not.
  std::size_t offered() const { return offered_; }
  bool empty() const { return plans_.empty(); }

  // The plans kept, best first; afterwards the list must not be used.
  std::vector<PartialPlan> take() {
    if (plans_.size() > width_) trim();
    std::sort(plans_.begin(), plans_.end(), before);
    return std::move(plans_);
  }

 private:
  static bool before(const PartialPlan& a, const PartialPlan& b) { return a.before(b); }
  void trim() {
    const auto end = plans_.begin() + static_cast<std::ptrdiff_t>(width_);
    std::nth_element(plans_.begin(), end - 1, plans_.end(), before);
    plans_.resize(width_);
    worst_ = plans_.back().score.value;
    full_ = true;
  }

  std::size_t width_;
  std::size_t offered_ = 0;
  std::vector<PartialPlan> plans_;
  bool full_ = false;
  Value worst_;
};

}  // namespace heliolite

#pragma once
// The words, or units of their sizes, that one order of a network's operations moves, with a memory that evicts what is
// needed last.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "tests/support/network_execution.h"

namespace heliolite::testing {

class NetworkSchedule {
 public:
  // `order`: indices of operations; each after all that make what it needs.
  NetworkSchedule(const NetworkExecution& run, const std::vector<std::size_t>& order) : run_(run), order_(order) {
    uses_.resize(run.words().size());
    for (std::size_t t = 0; t < order.size(); ++t)
      for (const int w : needed(order[t])) uses_[w].push_back(t);
  }

  // The units moved; none when an operation needs more than there is room. A word has the size of complete ones once
  // all operations on it are done.
  std::optional<u64> words(std::size_t capacity) {
    held_.assign(run_.words().size(), false);
    dirty_ = outside_ = whole_ = held_;
    inside_.clear();
    moved_ = held_units_ = 0;
    left_.assign(run_.words().size(), 0);
    for (const Operation& op : run_.operations()) ++left_[op.output];
    for (std::size_t t = 0; t < order_.size(); ++t) {
      const std::vector<int> now = needed(order_[t]);
      u64 wanted = 0;
      for (const int w : now) wanted += size(w);
      if (wanted > capacity) return std::nullopt;
      for (const int w : now) {
        if (!held_[w]) make_room(t, now, capacity - size(w));
        enter(t, w);
      }
      const int output = run_.operations()[order_[t]].output;
      dirty_[output] = true;
      held_units_ -= size(output);
      --left_[output];
      held_units_ += size(output);
    }
    for (const int w : inside_)
      if (dirty_[w] && !run_.consumed()[w]) moved_ += size(w);
    return moved_;
  }

 private:
  std::vector<int> needed(std::size_t operation) const {
    const Operation& op = run_.operations()[operation];
    std::vector<int> words{op.output};
    for (const auto& need : op.needs) words.insert(words.end(), need.words.begin(), need.words.end());
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
  }

  std::size_t next_use(int w, std::size_t t) const {
    const auto it = std::ranges::lower_bound(uses_[w], t);
    return it == uses_[w].end() ? std::numeric_limits<std::size_t>::max() : *it;
  }

  u64 size(int w) const { return left_[w] > 0 ? run_.partial_size(w) : run_.size(w); }

  void make_room(std::size_t t, const std::vector<int>& now, u64 units) {
    while (held_units_ > units) evict(t, now);
  }

  void evict(std::size_t t, const std::vector<int>& now) {
    auto last = inside_.end();
    for (auto it = inside_.begin(); it != inside_.end(); ++it) {
      if (std::ranges::find(now, *it) != now.end()) continue;
      if (last == inside_.end() || next_use(*it, t) > next_use(*last, t)) last = it;
    }
    const int w = *last;
    inside_.erase(last);
    held_[w] = false;
    held_units_ -= size(w);
    const bool dead = run_.consumed()[w] && next_use(w, t) == std::numeric_limits<std::size_t>::max();
    if (!dirty_[w]) return;
    dirty_[w] = false;
    if (dead) return;
    outside_[w] = true;
    moved_ += size(w);
  }

  // Sums start as zeros; what others need is loaded, and joined with what is inside of it.
  void enter(std::size_t t, int w) {
    const bool sum = run_.operations()[order_[t]].output == w, fresh = !held_[w];
    if (fresh) {
      inside_.push_back(w);
      held_units_ += size(w);
      held_[w] = true;
      whole_[w] = sum && !outside_[w];
    }
    if (sum || whole_[w]) return;
    whole_[w] = true;
    moved_ += size(w);
  }

  const NetworkExecution& run_;
  const std::vector<std::size_t>& order_;
  std::vector<std::vector<std::size_t>> uses_;  // by word: steps
  // Dirty: sums inside that are not outside. Whole: all sums so far are inside.
  std::vector<bool> held_, dirty_, outside_, whole_;
  std::vector<int> inside_;
  std::vector<u64> left_;  // by word: operations on it that are not done
  u64 moved_ = 0, held_units_ = 0;
};

}  // namespace heliolite::testing

#pragma once
// The least traffic of a tiny Einsum over all schedules: 0-1 breadth first search over what is done and what is held.
// As liberal as a machine can be: sums start as zeros anywhere, are stored by adding in the outer memory, and never
// come back.
#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "engine/bounds/hbl/hbl_nest.h"

namespace heliolite::testing {

class PebbleGame {
 public:
  explicit PebbleGame(const AccessNest& nest) {
    std::vector<u64> at(nest.loops.size());
    add_operations(nest, 0, at);
  }

  std::size_t operations() const { return operands_.size(); }
  std::size_t elements() const { return is_output_.size(); }

  // Loads of inputs and stores of outputs with `capacity` words, every element one word; -1 when nothing can be done.
  int least_traffic(int capacity) const {
    const State all_done = (State{1} << operations()) - 1;
    constexpr std::int8_t kUnseen = 127;
    std::vector<std::int8_t> distance(std::size_t{1} << (operations() + elements()), kUnseen);
    distance[0] = 0;
    std::deque<std::pair<State, std::int8_t>> queue{{0, 0}};
    while (!queue.empty()) {
      const auto [state, words] = queue.front();
      queue.pop_front();
      if (words > distance[state]) continue;
      const State held = state >> operations();
      if ((state & all_done) == all_done && (held & outputs_) == 0) return words;
      for (std::size_t e = 0; e < elements(); ++e) {
        const State bit = State{1} << e;
        const bool leaving = (held & bit) != 0;
        if (!leaving && std::popcount(held) >= capacity) continue;
        const auto cost = static_cast<std::int8_t>(is_output_[e] == leaving ? 1 : 0);
        const auto total = static_cast<std::int8_t>(words + cost);
        const State next = advanced((state & all_done) | (held ^ bit) << operations());
        if (distance[next] <= total) continue;
        distance[next] = total;
        cost == 0 ? queue.emplace_front(next, total) : queue.emplace_back(next, total);
      }
    }
    return -1;
  }

 private:
  using State = u64;  // bit o: operation o is done; above them bit e: element e is held

  void add_operations(const AccessNest& nest, std::size_t loop, std::vector<u64>& at) {
    if (loop < nest.loops.size()) {
      for (at[loop] = 0; at[loop] < static_cast<u64>(nest.loops[loop].size); ++at[loop])
        add_operations(nest, loop + 1, at);
      return;
    }
    State operands = 0;
    for (std::size_t j = 0; j < nest.accesses.size(); ++j) {
      const int same = nest.accesses[j].same_array;  // several accesses of one array reach the same elements
      std::vector<u64> element{same < 0 ? j : static_cast<std::size_t>(same)};
      for (const std::vector<i64>& row : nest.accesses[j].rows) {
        u64 value = 0;
        for (std::size_t l = 0; l < at.size(); ++l) value += static_cast<u64>(row[l]) * at[l];
        element.push_back(value);
      }
      const auto [known, fresh] = index_.try_emplace(element, index_.size());
      if (fresh) is_output_.push_back(nest.accesses[j].is_output);
      operands |= State{1} << known->second;
      if (nest.accesses[j].is_output) outputs_ |= State{1} << known->second;
    }
    operands_.push_back(operands);
  }

  // Everything that can be done is done at once.
  State advanced(State state) const {
    const State held = state >> operations();
    for (std::size_t o = 0; o < operations(); ++o)
      if ((operands_[o] & ~held) == 0) state |= State{1} << o;
    return state;
  }

  std::map<std::vector<u64>, std::size_t> index_;  // of elements
  std::vector<bool> is_output_;
  State outputs_ = 0;
  std::vector<State> operands_;  // by operation
};

}  // namespace heliolite::testing

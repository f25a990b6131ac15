#pragma once
// The states of a stage of which none stands for another (rule listed): with the same tile and servers, one that has
// moved no more in any price stands for one that has moved more.
#include <deque>
#include <unordered_map>
#include <vector>

#include "engine/proof/state.h"

namespace heliolite::proof {

class StateFrontier {
 public:
  // `level`: the level that the states end with.
  StateFrontier(const Question& question, int level);

  // Keeps the state unless another stands for it, and drops those that it stands for.
  void add(const State& state);
  // The states that are left, in the order in which they were added.
  std::vector<State> take();
  std::size_t size() const { return left_; }
  u64 bytes() const { return held_.size() * sizeof(Held); }

 private:
  // What a price makes of counts and of flows: energy, of levels that share accesses each by itself, and rates.
  struct Price {
    std::array<std::array<WordPrices, kMaxTensors>, kMaxLevels> of{};
    bool rounds = false;   // blocks may add to it
    bool network = false;  // what networks cost belongs to it
  };
  struct Held {
    State state;
    std::vector<u128> total;  // [price]: of counts
    bool dropped = false;
  };

  Held priced(const State& state) const;
  bool stands_for(const Held& a, const Held& b) const;
  bool same_flows(const State& a, const State& b, int tensor) const;
  // The state after a loop that moves these tensors' flows, all of which are in place.
  State moved(const State& state, TensorMask tensors) const;
  u128 total(const Price& price, const State& state) const;
  u64 key(const State& state) const;

  const Question& q_;
  const int level_;
  std::vector<Price> prices_;
  u128 rounding_ = 0;  // the most that blocks can add, of all instances
  std::deque<Held> held_;
  std::unordered_map<u64, std::vector<u32>> alike_;  // by a hash of tile, servers and instances
  std::size_t left_ = 0;
};

}  // namespace heliolite::proof

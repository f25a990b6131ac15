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
  // Words of flows in place, for each iteration outside, of tensors that do not slide.
  struct Placed {
    std::array<PairCounts, kMaxPairs> count{};  // at levels that are inside
    std::array<u64, kMaxTensors> coming{};      // that a server which is still to come is asked for
    std::array<u128, kMaxTensors> network{};    // what networks cost, in the instance's unit
    std::array<std::array<u64, kMaxTensors>, kMaxLevels> entering{}, hops{};  // into networks, and half hops there
  };
  struct Held {
    State state;
    std::vector<u128> total;   // [price]: of counts
    TensorMask flowing = 0;    // tensors in place or moving
    TensorMask stood_for = 0;  // tensors that flow in the states that it stands for
    bool dropped = false;
  };

  Held priced(const State& state) const;
  bool stands_for(const Held& a, const Held& b) const;
  // Whether b can be dropped for a: a must stand for all that b stands for. That follows but for a tensor which flows
  // in a and there, and not in b: what a moves of it is compared with nothing.
  bool replaces(const Held& a, const Held& b) const {
    return (a.flowing & b.stood_for & ~b.flowing) == 0 && stands_for(a, b);
  }
  bool same_flows(const State& a, const State& b, int tensor) const;
  // The state after a loop that moves these tensors' flows, all of which are in place.
  State moved(const State& state, TensorMask tensors) const;
  u128 total(const Price& price, const State& state) const;
  u128 total(const Price& price, const Placed& placed, int tensor) const;
  Placed placed(const State& state) const;
  bool is_nowhere_more(const State& a, const Placed& of_a, const State& b, const Placed& of_b) const;
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

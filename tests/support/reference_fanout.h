#pragma once
// One fan-out of the oracle of the cost model (reference_walk.h): all its receivers, which of them need the same words,
// and which find them at a neighbour (docs/link_transfers.md).
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "tests/support/reference_nest.h"

namespace heliolite::testing {

class ReferenceFanOut {
 public:
  // The fan-out of the loops `innermost` to `outermost`, at a step in which what is inside has been executed.
  ReferenceFanOut(ReferenceNest& nest, const Architecture& architecture, int innermost, int outermost)
      : nest_(nest), architecture_(architecture), innermost_(innermost), outermost_(outermost) {
    std::vector<i64> offset(nest_.workload().dimensions.size(), 0);
    list_receivers(outermost_, offset);
    asked_ = asked_for();
  }

  std::size_t receivers() const { return receivers_.size(); }

  // Rules 9-11: receivers of the same words of tensor v share one access, without those that find theirs at a neighbour
  // if that leaves fewer groups. `words_each`: of one receiver, as often as the step counts.
  void record(std::size_t v, i64 words_each) {
    std::vector<i64> all, rest;  // receivers, and those without what they need at a neighbour
    for (std::size_t x = 0; x < receivers_.size(); ++x) {
      all.push_back(static_cast<i64>(x));
      if (!has_neighbour(v, static_cast<i64>(x), asked_[x][v])) rest.push_back(static_cast<i64>(x));
    }
    const bool fewer = distinct(v, rest) < distinct(v, all);
    if (fewer)
      nest_.at(outermost_).links[v] += static_cast<double>(words_each) * static_cast<double>(all.size() - rest.size());
    record_groups(v, words_each, fewer ? rest : all);
  }

  // The next step's receivers may find at a neighbour what was asked for at this one.
  void end_step() { nest_.at(outermost_).asked = std::move(asked_); }

 private:
  // A receiver: how far its words are from those of receiver 0, per tensor.
  using Shifts = std::vector<ReferenceOffset>;

  // All receivers, X fastest; a loop runs to its residual where all loops of its dimension outside are in their last
  // iteration.
  void list_receivers(int l, std::vector<i64>& offset) {
    if (l < innermost_) {
      Shifts shifts;
      for (const Tensor& tensor : nest_.workload().tensors) {
        shifts.emplace_back();
        for (const Rank& rank : tensor.ranks) {
          i64 shift = 0;
          for (const Term& term : rank.terms)
            shift += static_cast<i64>(term.coefficient) * offset[static_cast<std::size_t>(term.dimension)];
          shifts.back().push_back(shift);
        }
      }
      receivers_.push_back(std::move(shifts));
      return;
    }
    const auto d = nest_.at(l).loop.dimension;
    const i64 n = nest_.in_last(l + 1, d) ? nest_.at(l).residual : nest_.at(l).end;
    for (i64 i = 0; i < n; ++i) {
      nest_.at(l).index = i;
      offset[d] += i * nest_.at(l).step;
      list_receivers(l - 1, offset);
      offset[d] -= i * nest_.at(l).step;
    }
    nest_.at(l).index = 0;
  }

  // [receiver][tensor]: the words that each asks for at this step; compute units the points themselves.
  std::vector<std::vector<ReferenceBoxes>> asked_for() const {
    std::vector<std::vector<ReferenceBoxes>> out(receivers_.size());
    for (std::size_t x = 0; x < receivers_.size(); ++x)
      for (std::size_t v = 0; v < nest_.workload().tensors.size(); ++v)
        out[x].push_back(reference_moved(
            innermost_ > 0 ? nest_.at(innermost_ - 1).fresh[v] : ReferenceBoxes{nest_.point(v)}, receivers_[x][v]));
    return out;
  }

  // How many of these receivers need different words.
  std::size_t distinct(std::size_t v, const std::vector<i64>& some) const {
    std::set<ReferenceOffset> shifts;
    for (const i64 x : some) shifts.insert(receivers_[static_cast<std::size_t>(x)][v]);
    return shifts.size();
  }

  // Whether a neighbour on the grid asked for these words a step before.
  bool has_neighbour(std::size_t v, i64 x, const ReferenceBoxes& words) const {
    const StorageLevel& level = architecture_.levels[nest_.at(outermost_).loop.level];
    const auto& excluded = level.constraints.spatial.no_peers;
    if (!architecture_.peer_channel || std::ranges::count(excluded, nest_.workload().tensors[v].name) > 0) return false;
    const auto [columns, rows] = grid();
    for (const auto& [right, down] : {std::pair{0, 1}, {0, -1}, {1, 0}, {-1, 0}}) {
      const i64 column = x % columns + right, row = x / columns + down;
      if (column < 0 || column >= columns || row < 0 || row >= rows) continue;
      const auto y = static_cast<std::size_t>(row * columns + column);
      if (y < nest_.at(outermost_).asked.size() && nest_.at(outermost_).asked[y][v] == words) return true;
    }
    return false;
  }

  // Columns and rows of the grid.
  std::pair<i64, i64> grid() const {
    i64 ends_x = 1, ends = 1;
    for (int k = innermost_; k <= outermost_; ++k) {
      ends *= nest_.at(k).end;
      if (nest_.at(k).loop.kind == LoopKind::SpatialX) ends_x *= nest_.at(k).end;
    }
    const StorageLevel& level = architecture_.levels[nest_.at(outermost_).loop.level];
    return {std::max(static_cast<i64>(level.fanout_x), ends_x),
            std::max(static_cast<i64>(level.fanout_y), ends / ends_x)};
  }

  // Groups of those served that need the same words, by how many they are.
  void record_groups(std::size_t v, i64 words_each, const std::vector<i64>& served) {
    const auto [columns, rows] = grid();
    const double centre = static_cast<double>(rows - 1) / 2;
    std::map<ReferenceOffset, std::vector<i64>> groups;
    for (const i64 x : served) groups[receivers_[static_cast<std::size_t>(x)][v]].push_back(x);
    std::map<i64, std::pair<i64, double>> by_size;  // multicast -> groups, hops
    for (const auto& [shift, members] : groups) {
      std::map<i64, std::pair<double, double>> reach;  // column -> furthest above and below the centre
      for (const i64 x : members) {
        const double row = static_cast<double>(x / columns) - centre;
        auto& [above, below] = reach[x % columns];
        above = std::max(above, -row);
        below = std::max(below, row);
      }
      double hops = static_cast<double>(reach.rbegin()->first);
      for (const auto& [column, distance] : reach) hops += distance.first + distance.second;
      auto& entry = by_size[static_cast<i64>(members.size())];
      ++entry.first;
      entry.second += hops;
    }
    for (const auto& [multicast, entry] : by_size) {
      const double words = static_cast<double>(words_each * entry.first);
      nest_.add(outermost_, v, multicast, entry.first, words, entry.second * words / static_cast<double>(entry.first));
    }
  }

  ReferenceNest& nest_;
  const Architecture& architecture_;
  const int innermost_, outermost_;  // loops
  std::vector<Shifts> receivers_;
  std::vector<std::vector<ReferenceBoxes>> asked_;
};

}  // namespace heliolite::testing

#pragma once
// The oracle of true counts: runs a mapping with every unit and every step, and looks at what each unit fetches
// (docs/cost_model.md, rules 31 to 38). Slow, plain, and shares no code with the model.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite::testing {

using WalkInstance = std::vector<i64>;             // digits of the spatial loops outside a level
using WalkBox = std::vector<std::pair<i64, i64>>;  // words [low, high) of each rank
using WalkCount = std::map<WalkInstance, i64>;

// One tensor at one boundary: the tile inside the loops of levels >= boundary.
struct BoundaryWalk {
  WalkCount fills;                                  // by instance that holds the tile
  std::map<int, WalkCount> accesses;                // [level]: by instance of the level, words that arrive there
  std::map<i64, std::pair<i64, double>> multicast;  // [units that share]: words, and words times hops; of the fan-out
  WalkCount active;                                 // steps of each instance that holds the tile
  i64 steps = 0;
};

class TrueWalk {
 public:
  TrueWalk(const Workload& workload, const Architecture& architecture, const Mapping& mapping)
      : w_(workload), a_(architecture), dims_(workload.dimensions.size()) {
    std::vector<i64> tile(dims_, 1);
    for (const Loop& loop : mapping.loops()) {
      const i64 size = static_cast<i64>(w_.dimensions[loop.dimension].size);
      const i64 end = std::min<i64>(loop.end, (size + tile[loop.dimension] - 1) / tile[loop.dimension]);
      if (end <= 1) continue;
      loops_.push_back({loop.dimension, loop.level, loop.kind, end, tile[loop.dimension]});
      tile[loop.dimension] *= end;
    }
  }

  // Tensor v at the boundary, asked for by the levels up to `top`.
  BoundaryWalk walk(std::size_t v, int boundary, int top) {
    tensor_ = &w_.tensors[v];
    boundary_ = boundary;
    top_ = top;
    time_.clear(), space_.clear(), units_.clear();
    tile_.assign(dims_, 1);
    for (const WalkLoop& l : loops_) {
      if (l.level < boundary) tile_[l.dimension] *= l.end;
      else (l.kind == LoopKind::Temporal ? time_ : space_).push_back(l);
    }
    list_units();
    out_ = {};
    origin_.assign(dims_, 0);
    index_.assign(time_.size(), 0);
    run(static_cast<int>(time_.size()) - 1);
    return std::move(out_);
  }

  // Distinct words of tensor v that each instance of the level ever holds.
  WalkCount held_words(std::size_t v, int level) const {
    std::map<WalkInstance, std::set<std::vector<i64>>> words;
    std::vector<i64> point(dims_, 0);
    const auto each = [&](auto& self, std::size_t d) -> void {
      if (d < dims_) {
        for (point[d] = 0; point[d] < size(d); ++point[d]) self(self, d + 1);
        return;
      }
      WalkInstance instance;
      for (const WalkLoop& l : loops_)
        if (l.kind != LoopKind::Temporal && l.level > level) instance.push_back(point[l.dimension] / l.inside % l.end);
      std::vector<i64> word;
      for (const Rank& rank : w_.tensors[v].ranks) {
        word.push_back(0);
        for (const Term& t : rank.terms) word.back() += static_cast<i64>(t.coefficient) * point[t.dimension];
      }
      words[instance].insert(word);
    };
    each(each, 0);
    WalkCount out;
    for (const auto& [instance, set] : words) out[instance] = static_cast<i64>(set.size());
    return out;
  }

 private:
  struct WalkLoop {
    u8 dimension, level;
    LoopKind kind;
    i64 end, inside;  // iterations of a full tile, and their distance
  };
  struct Unit {
    std::vector<i64> place;                  // of its tile, by dimension, when no temporal loop has moved
    std::map<int, WalkInstance> under;       // [level]: the instance over it
    std::map<int, std::vector<i64>> offset;  // [level]: in the tensor's ranks, in that level's fan-out
    i64 id = 0;                              // in the boundary's fan-out
    bool started = false;
    WalkBox held;
    std::vector<i64> before;               // indices of the loops at its last step
    std::vector<std::vector<i64>> stride;  // [loop]: the first move in its iteration; empty: none
  };

  i64 size(std::size_t d) const { return static_cast<i64>(w_.dimensions[d].size); }

  void list_units() {
    std::vector<i64> digit(space_.size(), 0);
    for (bool more = true; more;) {
      Unit u;
      u.place.assign(dims_, 0);
      u.stride.resize(time_.size());
      i64 weight = 1;
      for (std::size_t k = 0; k < space_.size(); ++k) {
        const WalkLoop& l = space_[k];
        u.place[l.dimension] += digit[k] * l.inside;
        for (int i = boundary_ - 1; i <= top_; ++i)
          if (l.level > i) u.under[i].push_back(digit[k]);
        if (l.level == boundary_) u.id += digit[k] * weight, weight *= l.end;
      }
      for (int i = boundary_ - 1; i <= top_; ++i) u.under[i];
      for (int i = boundary_ + 1; i <= top_; ++i) {
        std::vector<i64>& offset = u.offset[i];
        for (const Rank& rank : tensor_->ranks) {
          offset.push_back(0);
          for (const Term& t : rank.terms)
            for (std::size_t k = 0; k < space_.size(); ++k)
              if (space_[k].level == i && space_[k].dimension == t.dimension)
                offset.back() += static_cast<i64>(t.coefficient) * digit[k] * space_[k].inside;
        }
      }
      units_.push_back(std::move(u));
      more = false;
      for (std::size_t k = 0; k < space_.size() && !more; ++k) {
        if (++digit[k] < space_[k].end) more = true;
        else digit[k] = 0;
      }
    }
  }

  void run(int k) {
    if (k < 0) return step();
    const WalkLoop& l = time_[k];
    const i64 start = origin_[l.dimension];
    std::vector<std::pair<bool, WalkBox>> second;  // what each unit holds after the second iteration
    i64 done = 0;
    for (index_[k] = 0; index_[k] < l.end && origin_[l.dimension] < size(l.dimension); ++index_[k]) {
      run(k - 1);
      origin_[l.dimension] += l.inside;
      if (++done == 2)
        for (const Unit& u : units_) second.emplace_back(u.started, u.held);
    }
    index_[k] = 0;
    origin_[l.dimension] = start;
    if (done >= 2)
      for (std::size_t u = 0; u < units_.size(); ++u) units_[u].held = second[u].second;
  }

  WalkBox box_of(const Unit& u) const {
    WalkBox box;
    for (const Rank& rank : tensor_->ranks) {
      i64 low = 0, high = 0;
      for (const Term& t : rank.terms) {
        const auto d = at(t.dimension);
        const i64 first = origin_[d] + u.place[d], last = std::min(first + tile_[d], size(d)) - 1;
        low += static_cast<i64>(t.coefficient) * first;
        high += static_cast<i64>(t.coefficient) * last;
      }
      box.emplace_back(low, high + 1);
    }
    return box;
  }

  // The part of the box that the unit holds; empty: nothing.
  WalkBox kept(Unit& u, const WalkBox& box) {
    WalkBox keep;
    if (boundary_ == 0) return keep;
    if (u.started) {
      int j = -1;
      for (std::size_t k = 0; k < time_.size(); ++k)
        if (index_[k] != u.before[k]) j = static_cast<int>(k);
      std::vector<i64> move;
      bool moved = false;
      for (std::size_t r = 0; r < box.size(); ++r) {
        move.push_back(box[r].first - u.held[r].first);
        moved |= move.back() != 0;
      }
      const std::vector<i64>& stride = u.stride[j];
      if (stride.empty() || !moved || move == stride)
        for (std::size_t r = 0; r < box.size(); ++r)
          keep.emplace_back(std::max(box[r].first, u.held[r].first), std::min(box[r].second, u.held[r].second));
      for (const auto& [low, high] : keep)
        if (low >= high) {
          keep.clear();
          break;
        }
      for (std::size_t k = 0; k < time_.size(); ++k) {
        if (static_cast<int>(k) <= j) u.stride[k].clear();
        else if (u.stride[k].empty() && moved) u.stride[k] = move;
      }
    }
    u.started = true;
    u.held = box;
    u.before = index_;
    return keep;
  }

  static i64 volume(const WalkBox& box) {
    i64 words = 1;
    for (const auto& [low, high] : box) words *= high - low;
    return words;
  }

  void step() {
    ++out_.steps;
    std::map<int, std::map<std::tuple<WalkInstance, std::vector<std::vector<i64>>, WalkBox, WalkBox>, i64>> asked;
    std::map<std::tuple<WalkInstance, WalkBox, WalkBox>, std::pair<i64, std::vector<i64>>> together;
    for (Unit& u : units_) {
      bool idle = false;
      for (std::size_t d = 0; d < dims_; ++d) idle |= origin_[d] + u.place[d] >= size(d);
      if (idle) continue;
      ++out_.active[u.under[boundary_ - 1]];
      const WalkBox box = box_of(u), keep = kept(u, box);
      const i64 words = volume(box) - (keep.empty() ? 0 : volume(keep));
      out_.fills[u.under[boundary_ - 1]] += words;
      if (words == 0) continue;
      std::vector<std::vector<i64>> offsets;
      for (int i = boundary_; i <= top_; ++i) {
        if (i > boundary_) offsets.push_back(u.offset[i]);
        asked[i][{u.under[i], offsets, box, keep}] = words;
      }
      auto& group = together[{u.under[boundary_], box, keep}];
      group.first = words;
      group.second.push_back(u.id);
    }
    for (const auto& [i, groups] : asked)
      for (const auto& [key, words] : groups) out_.accesses[i][std::get<0>(key)] += words;
    for (const auto& [key, group] : together) {
      auto& sum = out_.multicast[static_cast<i64>(group.second.size())];
      sum.first += group.first;
      sum.second += static_cast<double>(group.first) * hops(group.second);
    }
  }

  // Rule 11, by the units' numbers.
  double hops(const std::vector<i64>& ids) const {
    i64 x = 1, all = 1;
    for (const WalkLoop& l : space_)
      if (l.level == boundary_) {
        all *= l.end;
        if (l.kind == LoopKind::SpatialX) x *= l.end;
      }
    if (all == 1) return 0;
    const StorageLevel& level = a_.levels[boundary_];
    const i64 columns = std::max(static_cast<i64>(level.fanout_x), x);
    const double centre = (static_cast<double>(std::max(static_cast<i64>(level.fanout_y), all / x)) - 1) / 2;
    std::map<i64, std::pair<double, double>> reach;  // [column]: above and below the centre
    for (const i64 id : ids) {
      const double from = static_cast<double>(id / columns) - centre;
      auto& [up, down] = reach[id % columns];
      up = std::max(up, -from);
      down = std::max(down, from);
    }
    double sum = static_cast<double>(reach.rbegin()->first);
    for (const auto& [column, both] : reach) sum += both.first + both.second;
    return sum;
  }

  const Workload& w_;
  const Architecture& a_;
  std::size_t dims_;
  std::vector<WalkLoop> loops_, time_, space_;  // innermost first
  const Tensor* tensor_ = nullptr;
  int boundary_ = 0, top_ = 0;
  std::vector<i64> tile_, origin_, index_;
  std::vector<Unit> units_;
  BoundaryWalk out_;
};

}  // namespace heliolite::testing

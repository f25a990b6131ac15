#pragma once
// The oracle of the cost model: walks a mapping's loop nest step by step the way Timeloop does
// (docs/cost_model.md, rules 4 to 13) and counts what moves, with the machine's link transfers. Slow (about 2 to 3
// times the work per loop), plain, and shares no code with the model.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "engine/model/mapping.h"
#include "engine/model/nest_traffic.h"
#include "workloads/workload.h"

namespace heliolite::testing {

// Words [low, high) of every rank.
using ReferenceBox = std::vector<std::pair<i64, i64>>;
using ReferenceOffset = std::vector<i64>;  // per rank

inline i64 reference_volume(const ReferenceBox& box) {
  i64 words = 1;
  for (const auto& [low, high] : box) words *= high - low;
  return words;
}

using ReferenceBoxes = std::set<ReferenceBox>;

// `box` without `other`, cut rank by rank.
inline ReferenceBoxes reference_rest(ReferenceBox box, const ReferenceBox& other) {
  ReferenceBoxes out;
  for (std::size_t r = 0; r < box.size(); ++r)
    if (box[r].second <= other[r].first || other[r].second <= box[r].first) return {box};
  for (std::size_t r = 0; r < box.size(); ++r) {
    const auto [low, high] = box[r];
    if (low < other[r].first) {
      box[r] = {low, other[r].first};
      out.insert(box);
      box[r] = {other[r].first, high};
    }
    if (other[r].second < high) {
      box[r] = {other[r].second, high};
      out.insert(box);
      box[r] = {std::max(low, other[r].first), other[r].second};
    }
  }
  return out;
}

inline ReferenceBoxes reference_moved(const ReferenceBoxes& boxes, const ReferenceOffset& by) {
  ReferenceBoxes out;
  for (ReferenceBox box : boxes) {
    for (std::size_t r = 0; r < box.size(); ++r) box[r] = {box[r].first + by[r], box[r].second + by[r]};
    out.insert(box);
  }
  return out;
}

// Words of `box` that are not in `other`.
inline i64 reference_difference(const ReferenceBox& box, const ReferenceBox& other) {
  i64 common = 1;
  for (std::size_t r = 0; r < box.size(); ++r)
    common *= std::max<i64>(0, std::min(box[r].second, other[r].second) - std::max(box[r].first, other[r].first));
  return reference_volume(box) - common;
}

class ReferenceWalk {
 public:
  ReferenceWalk(const Workload& workload, const Architecture& architecture, const Mapping& mapping)
      : workload_(workload), architecture_(architecture) {
    list_loops(mapping);
    measure_loops();
    count_instances();
    const auto tensors = workload.tensors.size();
    for (Step& s : loops_) {
      s.largest.assign(tensors, 0);
      s.before.resize(tensors);
      s.stride.resize(tensors);
      s.records.resize(tensors);
      s.fresh.resize(tensors);
      s.links.assign(tensors, 0);
    }
    origin_.assign(workload.dimensions.size(), 0);
    delta(static_cast<int>(loops_.size()) - 1);
  }

  NestTraffic traffic() const;

 private:
  // One loop of the nest with the state that survives between its executions.
  struct Step {
    Loop loop;
    i64 end = 1, residual = 1;
    i64 step = 1;                   // distance of two iterations in the dimension
    std::vector<i64> middle, last;  // extents per dimension through this loop, in a middle and in the last context
    double used = 1;                // instances outside this loop
    i64 index = 0;
    std::vector<i64> largest;                            // tile, by tensor
    std::vector<std::optional<ReferenceBox>> before;     // previous tile
    std::vector<std::optional<ReferenceOffset>> stride;  // remembered move
    std::vector<ReferenceBoxes> fresh;                   // new words of the last execution
    std::vector<std::vector<ReferenceBoxes>> asked;      // [receiver][tensor]: what it asked for a step before
    std::vector<double> links;                           // words taken from neighbours, by tensor
    std::vector<std::map<std::pair<i64, i64>, std::pair<double, double>>> records;  // (m, groups) -> words, hop words
  };

  int size() const { return static_cast<int>(loops_.size()); }
  Step& at(int l) { return loops_[static_cast<std::size_t>(l)]; }
  const Step& at(int l) const { return loops_[static_cast<std::size_t>(l)]; }
  bool spatial_at(int l) const { return at(l).loop.is_spatial(); }
  bool starts_level(int l) const { return l == 0 || at(l - 1).loop.level != at(l).loop.level; }

  // Every level gets a temporal loop, if only a unit one, as in Timeloop's nest.
  void list_loops(const Mapping& mapping) {
    for (int i = 0; i < mapping.level_count; ++i) {
      bool temporal = false;
      for (const Loop& loop : mapping.loops())
        if (loop.level == i) {
          loops_.push_back({});
          loops_.back().loop = loop;
          temporal |= !loop.is_spatial();
        }
      if (temporal) continue;
      Loop unit;
      unit.dimension = static_cast<u8>(workload_.dimensions.size() - 1);
      unit.level = static_cast<u8>(i);
      loops_.push_back({});
      loops_.back().loop = unit;
    }
    for (Step& s : loops_) {
      s.end = s.loop.end;
      s.residual = s.loop.residual;
    }
  }

  void measure_loops() {
    std::vector<i64> middle(workload_.dimensions.size(), 1), last = middle;
    for (Step& s : loops_) {
      const auto d = s.loop.dimension;
      s.step = middle[d];
      last[d] += middle[d] * (s.residual - 1);
      middle[d] *= s.end;
      s.middle = middle;
      s.last = last;
    }
  }

  void count_instances() {
    double used = 1;
    for (int l = size() - 1; l >= 0; --l) {
      at(l).used = used;
      if (!spatial_at(l)) continue;
      double outer = 1;  // steps of the dimension's loops outside
      for (int k = size() - 1; k > l; --k)
        if (at(k).loop.dimension == at(l).loop.dimension)
          outer = static_cast<double>(at(k).residual) + static_cast<double>(at(k).end) * (outer - 1);
      const auto end = static_cast<double>(at(l).end), residual = static_cast<double>(at(l).residual);
      used *= end == residual ? end : (residual + end * (outer - 1)) / outer;
    }
  }

  // Are all loops of the dimension from `l` outwards in their last iteration?
  bool in_last(int l, int dimension) const {
    for (int k = l; k < size(); ++k)
      if (at(k).loop.dimension == dimension && at(k).index + 1 < at(k).residual) return false;
    return true;
  }

  ReferenceBox tile(int l, const Tensor& tensor) const {
    ReferenceBox box;
    for (const Rank& rank : tensor.ranks) {
      i64 low = 0, high = 0;
      for (const Term& term : rank.terms) {
        const auto d = static_cast<std::size_t>(term.dimension);
        const i64 extent = in_last(l + 1, term.dimension) ? at(l).last[d] : at(l).middle[d];
        low += static_cast<i64>(term.coefficient) * origin_[d];
        high += static_cast<i64>(term.coefficient) * (origin_[d] + extent - 1);
      }
      box.emplace_back(low, high + 1);
    }
    return box;
  }

  // One execution of the loops up to `l`; the new words of its tile, per tensor (rule 7).
  std::vector<i64> delta(int l) {
    if (spatial_at(l)) spatial(l);
    else temporal(l);
    std::vector<i64> fresh;
    for (std::size_t v = 0; v < workload_.tensors.size(); ++v) {
      const ReferenceBox box = tile(l, workload_.tensors[v]);
      at(l).largest[v] = std::max(at(l).largest[v], reference_volume(box));
      const std::optional<ReferenceBox> before = at(l).before[v];
      fresh.push_back(fresh_words(box, at(l).before[v], at(l).stride[v]));
      at(l).fresh[v] =
          before && fresh.back() < reference_volume(box) ? reference_rest(box, *before) : ReferenceBoxes{box};
      at(l).before[v] = box;
    }
    return fresh;
  }

  static i64 fresh_words(const ReferenceBox& box, const std::optional<ReferenceBox>& before,
                         std::optional<ReferenceOffset>& stride) {
    if (!before) return reference_volume(box);
    ReferenceOffset move;  // of the centroid, halves rounded away from zero
    bool moved = false;
    for (std::size_t r = 0; r < box.size(); ++r) {
      const auto& [low, high] = box[r];
      const auto& [old_low, old_high] = (*before)[r];
      move.push_back(std::lround(static_cast<double>(low + high - old_low - old_high) / 2));
      moved |= move.back() != 0;
    }
    if (!moved) return reference_difference(box, *before);
    if (!stride || *stride == move) {
      stride = move;
      return reference_difference(box, *before);
    }
    stride.reset();
    return reference_volume(box);
  }

  void add(int l, std::size_t v, i64 multicast, i64 groups, double words, double hops) {
    auto& record = at(l).records[v][{multicast, groups}];
    record.first += words;
    record.second += hops;
  }

  std::vector<i64> visit(int l, i64 start, i64 index, i64 epochs) {
    at(l).index = index;
    origin_[at(l).loop.dimension] = start + index * at(l).step;
    const i64 saved = epochs_;
    epochs_ *= epochs;
    std::vector<i64> fresh = delta(l - 1);
    epochs_ = saved;
    return fresh;
  }

  // Rule 6: iterations 0, 1 (for all middle ones) and, when a smaller tile comes last, the last one or two.
  void temporal(int l) {
    const int d = at(l).loop.dimension;
    const bool outer_last = in_last(l + 1, d);
    const i64 n = outer_last ? at(l).residual : at(l).end;
    const auto tensors = workload_.tensors.size();
    if (l == 0) {
      steps_[0] += static_cast<double>(n * epochs_);
      for (std::size_t v = 0; v < tensors; ++v) add(0, v, 1, 1, static_cast<double>(n * epochs_), 0);
      return;
    }
    bool smaller_inside = false;
    for (int k = 0; k < l; ++k) smaller_inside |= at(k).loop.dimension == d && at(k).end != at(k).residual;
    const bool run_last = outer_last && smaller_inside;
    const bool run_last_two = run_last && at(l).end != at(l).residual;
    const i64 start = origin_[static_cast<std::size_t>(d)];
    std::vector<std::pair<std::vector<i64>, i64>> words;  // of an iteration, and how often it counts
    words.emplace_back(visit(l, start, 0, 1), 1);
    const i64 middle = n - 1 - (run_last ? 1 : 0) - (run_last_two ? 1 : 0);
    if (middle >= 1) words.emplace_back(visit(l, start, 1, middle), middle);
    const auto tally = [&](std::vector<i64> fresh, bool as_middle) {
      if (as_middle) ++words.back().second;
      else words.emplace_back(std::move(fresh), 1);
    };
    if (run_last_two && n >= 3) tally(visit(l, start, n - 2, 1), n >= 4);
    if (run_last && n >= 2) tally(visit(l, start, n - 1, 1), n >= 3 && !run_last_two);
    at(l).index = n;
    origin_[static_cast<std::size_t>(d)] = start;
    if (!starts_level(l)) return;
    for (std::size_t v = 0; v < tensors; ++v) {
      i64 sum = 0;
      for (const auto& [fresh, times] : words) sum += fresh[v] * times;
      add(l, v, 1, 1, static_cast<double>(sum * epochs_), 0);
    }
  }

  // A receiver of a fan-out: how far its words are from those of receiver 0, per tensor.
  using Shifts = std::vector<ReferenceOffset>;

  // All receivers, X fastest; a loop runs to its residual where all loops of its dimension outside are in their last
  // iteration.
  void list_receivers(int l, int innermost, std::vector<i64>& offset, std::vector<Shifts>& out) {
    if (l < innermost) {
      Shifts shifts;
      for (const Tensor& tensor : workload_.tensors) {
        shifts.emplace_back();
        for (const Rank& rank : tensor.ranks) {
          i64 shift = 0;
          for (const Term& term : rank.terms)
            shift += static_cast<i64>(term.coefficient) * offset[static_cast<std::size_t>(term.dimension)];
          shifts.back().push_back(shift);
        }
      }
      out.push_back(std::move(shifts));
      return;
    }
    const auto d = at(l).loop.dimension;
    const i64 n = in_last(l + 1, d) ? at(l).residual : at(l).end;
    for (i64 i = 0; i < n; ++i) {
      at(l).index = i;
      offset[d] += i * at(l).step;
      list_receivers(l - 1, innermost, offset, out);
      offset[d] -= i * at(l).step;
    }
    at(l).index = 0;
  }

  // Rules 9-11: receiver 0 is executed; receivers of the same words share one access.
  void spatial(int l) {
    int innermost = l;
    while (!starts_level(innermost)) --innermost;
    for (int k = innermost; k <= l; ++k) at(k).index = 0;
    const auto tensors = workload_.tensors.size();
    const std::vector<i64> fresh = innermost > 0 ? delta(innermost - 1) : std::vector<i64>(tensors, 1);
    std::vector<i64> offset(workload_.dimensions.size(), 0);
    std::vector<Shifts> receivers;
    list_receivers(l, innermost, offset, receivers);
    if (innermost == 0)
      for (std::size_t x = 0; x < receivers.size(); ++x) steps_[x] += static_cast<double>(epochs_);
    const auto asked = asked_for(innermost, receivers);
    for (std::size_t v = 0; v < tensors; ++v) {
      if (fresh[v] == 0) continue;
      std::vector<i64> all, rest;  // receivers, and those without what they need at a neighbour
      for (std::size_t x = 0; x < receivers.size(); ++x) {
        all.push_back(static_cast<i64>(x));
        if (!has_neighbour(l, innermost, v, static_cast<i64>(x), asked[x][v])) rest.push_back(static_cast<i64>(x));
      }
      const bool fewer = distinct(v, rest, receivers) < distinct(v, all, receivers);
      if (fewer)
        at(l).links[v] += static_cast<double>(fresh[v] * epochs_) * static_cast<double>(all.size() - rest.size());
      record_groups(l, innermost, v, fresh[v], receivers, fewer ? rest : all);
    }
    at(l).asked = asked;
  }

  // [receiver][tensor]: the words that each asks for at this step; compute units the points themselves.
  std::vector<std::vector<ReferenceBoxes>> asked_for(int innermost, const std::vector<Shifts>& receivers) const {
    std::vector<std::vector<ReferenceBoxes>> out(receivers.size());
    for (std::size_t x = 0; x < receivers.size(); ++x)
      for (std::size_t v = 0; v < workload_.tensors.size(); ++v)
        out[x].push_back(
            reference_moved(innermost > 0 ? at(innermost - 1).fresh[v] : ReferenceBoxes{point(v)}, receivers[x][v]));
    return out;
  }

  ReferenceBox point(std::size_t v) const {
    ReferenceBox out;
    for (const Rank& rank : workload_.tensors[v].ranks) {
      i64 low = 0;
      for (const Term& term : rank.terms)
        low += static_cast<i64>(term.coefficient) * origin_[static_cast<std::size_t>(term.dimension)];
      out.emplace_back(low, low + 1);
    }
    return out;
  }

  static std::size_t distinct(std::size_t v, const std::vector<i64>& some, const std::vector<Shifts>& receivers) {
    std::set<ReferenceOffset> shifts;
    for (const i64 x : some) shifts.insert(receivers[static_cast<std::size_t>(x)][v]);
    return shifts.size();
  }

  // Whether a neighbour on the grid asked for these words a step before.
  bool has_neighbour(int l, int innermost, std::size_t v, i64 x, const ReferenceBoxes& words) const {
    const StorageLevel& level = architecture_.levels[at(l).loop.level];
    const auto& excluded = level.constraints.spatial.no_link_transfer;
    if (!architecture_.link_transfers || std::ranges::count(excluded, workload_.tensors[v].name) > 0) return false;
    const auto [columns, rows] = grid(l, innermost);
    for (const auto& [right, down] : {std::pair{0, 1}, {0, -1}, {1, 0}, {-1, 0}}) {
      const i64 column = x % columns + right, row = x / columns + down;
      if (column < 0 || column >= columns || row < 0 || row >= rows) continue;
      const auto y = static_cast<std::size_t>(row * columns + column);
      if (y < at(l).asked.size() && at(l).asked[y][v] == words) return true;
    }
    return false;
  }

  std::pair<i64, i64> grid(int l, int innermost) const {
    i64 ends_x = 1, ends = 1;
    for (int k = innermost; k <= l; ++k) {
      ends *= at(k).end;
      if (at(k).loop.kind == LoopKind::SpatialX) ends_x *= at(k).end;
    }
    const StorageLevel& level = architecture_.levels[at(l).loop.level];
    return {std::max(static_cast<i64>(level.fanout_x), ends_x),
            std::max(static_cast<i64>(level.fanout_y), ends / ends_x)};
  }

  void record_groups(int l, int innermost, std::size_t v, i64 fresh, const std::vector<Shifts>& receivers,
                     const std::vector<i64>& served) {
    const auto [columns, rows] = grid(l, innermost);
    const double centre = static_cast<double>(rows - 1) / 2;
    std::map<ReferenceOffset, std::vector<i64>> groups;
    for (const i64 x : served) groups[receivers[static_cast<std::size_t>(x)][v]].push_back(x);
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
      const double words = static_cast<double>(fresh * entry.first * epochs_);
      add(l, v, multicast, entry.first, words, entry.second * words / static_cast<double>(entry.first));
    }
  }

  const Workload& workload_;
  const Architecture& architecture_;
  std::vector<Step> loops_;              // innermost first
  std::vector<i64> origin_;              // of the tile being executed, per dimension
  i64 epochs_ = 1;                       // how often the current step counts
  std::map<std::size_t, double> steps_;  // by MAC
};

inline NestTraffic ReferenceWalk::traffic() const {
  NestTraffic out;
  const int levels = at(size() - 1).loop.level + 1;
  for (std::size_t v = 0; v < workload_.tensors.size(); ++v) {
    out.at.emplace_back();
    for (int i = 0; i < levels; ++i) {
      int first = size(), last = -1;  // where the level's records are, and its outermost loop
      u64 fanout = 1;
      for (int l = 0; l < size(); ++l)
        if (at(l).loop.level == i) {
          if (spatial_at(l)) fanout *= static_cast<u64>(at(l).end);
          const bool master = spatial_at(l) && !spatial_at(l + 1);
          if (master || !spatial_at(l)) first = std::min(first, l);
          last = l;
        }
      LevelNest n;
      for (const auto& [key, sums] : at(first).records[v]) {
        n.records.push_back({static_cast<u64>(key.first), static_cast<u64>(key.second), sums.first, sums.second});
        n.accesses_sum += sums.first;
        n.share += sums.first * static_cast<double>(key.first) / static_cast<double>(fanout);
      }
      n.links = at(first).links[v];
      n.tile_words = static_cast<u64>(at(last).largest[v]);
      const bool master = spatial_at(first);
      n.tile_below_master = master ? static_cast<u64>(at(first).largest[v]) : i > 0 ? out.at[v].back().tile_words : 1;
      n.used = static_cast<u64>(at(last).used);
      n.fanout = fanout;
      out.at[v].push_back(std::move(n));
    }
  }
  double all_steps = 0;
  for (const auto& [mac, steps] : steps_) all_steps += steps;
  int innermost = 0;
  while (spatial_at(innermost) && spatial_at(innermost + 1)) ++innermost;
  const u64 fanout = out.at[0][0].fanout;
  out.macs_used = static_cast<u64>(at(innermost).used * static_cast<double>(fanout));
  out.computes = static_cast<u64>(all_steps / static_cast<double>(steps_.size()) * static_cast<double>(out.macs_used));
  bool perfect = true;
  u64 temporal = 1;
  for (const Step& s : loops_) {
    perfect &= s.end == s.residual;
    (s.loop.is_spatial() ? out.utilized_macs : temporal) *= static_cast<u64>(s.end);
  }
  out.compute_cycles = perfect ? (out.computes + out.macs_used - 1) / out.macs_used : temporal;
  return out;
}

// What `mapping` moves on `architecture`, by walking its nest. For small nests: the time doubles with every loop.
inline NestTraffic reference_traffic(const Workload& workload, const Architecture& architecture,
                                     const Mapping& mapping) {
  return ReferenceWalk(workload, architecture, mapping).traffic();
}

}  // namespace heliolite::testing

#pragma once
// The oracle of the cost model: walks a mapping's loop nest step by step the way Timeloop does
// (docs/cost_model.md, rules 4 to 13) and counts what moves, with the machine's link transfers. Slow (about 2 to 3
// times the work per loop), plain, and shares no code with the model.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "engine/model/collapse.h"
#include "engine/model/mapping.h"
#include "tests/support/reference_box.h"
#include "tests/support/reference_fanout.h"
#include "tests/support/reference_nest.h"
#include "workloads/workload.h"

namespace heliolite::testing {

class ReferenceWalk {
 public:
  ReferenceWalk(const Workload& workload, const Architecture& architecture, const Mapping& mapping)
      : workload_(workload), architecture_(architecture), nest_(workload, mapping) {
    delta(nest_.size() - 1);
  }

  NestTraffic traffic() const;

 private:
  // One execution of the loops up to `l`; the new words of its tile, per tensor (rule 7).
  std::vector<i64> delta(int l) {
    if (nest_.spatial_at(l)) spatial(l);
    else temporal(l);
    std::vector<i64> fresh;
    for (std::size_t v = 0; v < workload_.tensors.size(); ++v) {
      const ReferenceBox box = nest_.tile(l, workload_.tensors[v]);
      nest_.at(l).largest[v] = std::max(nest_.at(l).largest[v], reference_volume(box));
      const std::optional<ReferenceBox> before = nest_.at(l).before[v];
      fresh.push_back(fresh_words(box, nest_.at(l).before[v], nest_.at(l).stride[v]));
      nest_.at(l).fresh[v] =
          before && fresh.back() < reference_volume(box) ? reference_rest(box, *before) : ReferenceBoxes{box};
      nest_.at(l).before[v] = box;
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

  std::vector<i64> visit(int l, i64 start, i64 index, i64 epochs) {
    nest_.at(l).index = index;
    nest_.origin(nest_.at(l).loop.dimension) = start + index * nest_.at(l).step;
    const i64 saved = epochs_;
    epochs_ *= epochs;
    std::vector<i64> fresh = delta(l - 1);
    epochs_ = saved;
    return fresh;
  }

  // Rule 6: iterations 0, 1 (for all middle ones) and, when a smaller tile comes last, the last one or two.
  void temporal(int l) {
    const int d = nest_.at(l).loop.dimension;
    const bool outer_last = nest_.in_last(l + 1, d);
    const i64 n = outer_last ? nest_.at(l).residual : nest_.at(l).end;
    const auto tensors = workload_.tensors.size();
    if (l == 0) {
      steps_[0] += static_cast<double>(n * epochs_);
      for (std::size_t v = 0; v < tensors; ++v) nest_.add(0, v, 1, 1, static_cast<double>(n * epochs_), 0);
      return;
    }
    bool smaller_inside = false;
    for (int k = 0; k < l; ++k)
      smaller_inside |= nest_.at(k).loop.dimension == d && nest_.at(k).end != nest_.at(k).residual;
    const bool run_last = outer_last && smaller_inside;
    const bool run_last_two = run_last && nest_.at(l).end != nest_.at(l).residual;
    const i64 start = nest_.origin(static_cast<std::size_t>(d));
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
    nest_.at(l).index = n;
    nest_.origin(static_cast<std::size_t>(d)) = start;
    if (!nest_.starts_level(l)) return;
    for (std::size_t v = 0; v < tensors; ++v) {
      i64 sum = 0;
      for (const auto& [fresh, times] : words) sum += fresh[v] * times;
      nest_.add(l, v, 1, 1, static_cast<double>(sum * epochs_), 0);
    }
  }

  // Rules 9-11: receiver 0 is executed; receivers of the same words share one access.
  void spatial(int l) {
    int innermost = l;
    while (!nest_.starts_level(innermost)) --innermost;
    for (int k = innermost; k <= l; ++k) nest_.at(k).index = 0;
    const auto tensors = workload_.tensors.size();
    const std::vector<i64> fresh = innermost > 0 ? delta(innermost - 1) : std::vector<i64>(tensors, 1);
    ReferenceFanOut fanout(nest_, architecture_, innermost, l);
    if (innermost == 0)
      for (std::size_t x = 0; x < fanout.receivers(); ++x) steps_[x] += static_cast<double>(epochs_);
    for (std::size_t v = 0; v < tensors; ++v)
      if (fresh[v] != 0) fanout.record(v, fresh[v] * epochs_);
    fanout.end_step();
  }

  const Workload& workload_;
  const Architecture& architecture_;
  ReferenceNest nest_;
  i64 epochs_ = 1;                       // how often the current step counts
  std::map<std::size_t, double> steps_;  // by MAC
};

inline NestTraffic ReferenceWalk::traffic() const {
  NestTraffic out;
  const int levels = nest_.at(nest_.size() - 1).loop.level + 1;
  for (std::size_t v = 0; v < workload_.tensors.size(); ++v) {
    out.at.emplace_back();
    for (int i = 0; i < levels; ++i) {
      int first = nest_.size(), last = -1;  // where the level's records are, and its outermost loop
      u64 fanout = 1;
      for (int l = 0; l < nest_.size(); ++l)
        if (nest_.at(l).loop.level == i) {
          if (nest_.spatial_at(l)) fanout *= static_cast<u64>(nest_.at(l).end);
          const bool master = nest_.spatial_at(l) && !nest_.spatial_at(l + 1);
          if (master || !nest_.spatial_at(l)) first = std::min(first, l);
          last = l;
        }
      LevelNest n;
      for (const auto& [key, sums] : nest_.at(first).records[v]) {
        n.records.push_back({static_cast<u64>(key.first), static_cast<u64>(key.second), sums.first, sums.second});
        n.accesses_sum += sums.first;
        n.share += sums.first * static_cast<double>(key.first) / static_cast<double>(fanout);
      }
      n.peer_words = nest_.at(first).links[v];
      n.tile_words = static_cast<u64>(nest_.at(last).largest[v]);
      const bool master = nest_.spatial_at(first);
      n.tile_below_master = master  ? static_cast<u64>(nest_.at(first).largest[v])
                            : i > 0 ? out.at[v].back().tile_words
                                    : 1;
      n.used = static_cast<u64>(nest_.at(last).used);
      n.fanout = fanout;
      out.at[v].push_back(std::move(n));
    }
  }
  double all_steps = 0;
  for (const auto& [mac, steps] : steps_) all_steps += steps;
  int innermost = 0;
  while (nest_.spatial_at(innermost) && nest_.spatial_at(innermost + 1)) ++innermost;
  const u64 fanout = out.at[0][0].fanout;
  out.macs_used = static_cast<u64>(nest_.at(innermost).used * static_cast<double>(fanout));
  out.computes = static_cast<u64>(all_steps / static_cast<double>(steps_.size()) * static_cast<double>(out.macs_used));
  bool perfect = true;
  u64 temporal = 1;
  for (const ReferenceStep& s : nest_.loops()) {
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

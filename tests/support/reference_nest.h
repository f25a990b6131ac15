#pragma once
// The nest that the oracle of the cost model walks (reference_walk.h): its loops with what each remembers between its
// executions, and where the walk stands.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/model/mapping.h"
#include "tests/support/reference_box.h"
#include "workloads/workload.h"

namespace heliolite::testing {

// One loop of the nest with the state that survives between its executions.
struct ReferenceStep {
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

class ReferenceNest {
 public:
  ReferenceNest(const Workload& workload, const Mapping& mapping) : workload_(workload) {
    list_loops(mapping);
    measure_loops();
    count_instances();
    const auto tensors = workload.tensors.size();
    for (ReferenceStep& s : loops_) {
      s.largest.assign(tensors, 0);
      s.before.resize(tensors);
      s.stride.resize(tensors);
      s.records.resize(tensors);
      s.fresh.resize(tensors);
      s.links.assign(tensors, 0);
    }
    origin_.assign(workload.dimensions.size(), 0);
  }

  const Workload& workload() const { return workload_; }
  const std::vector<ReferenceStep>& loops() const { return loops_; }  // innermost first
  int size() const { return static_cast<int>(loops_.size()); }
  ReferenceStep& at(int l) { return loops_[static_cast<std::size_t>(l)]; }
  const ReferenceStep& at(int l) const { return loops_[static_cast<std::size_t>(l)]; }
  bool spatial_at(int l) const { return at(l).loop.is_spatial(); }
  bool starts_level(int l) const { return l == 0 || at(l - 1).loop.level != at(l).loop.level; }

  // Where the tile being executed begins along dimension d.
  i64& origin(std::size_t d) { return origin_[d]; }

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

  // The words of the point being computed.
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

  // Notes `words` accesses of groups that share one, and the hops of all their words.
  void add(int l, std::size_t v, i64 multicast, i64 groups, double words, double hops) {
    auto& record = at(l).records[v][{multicast, groups}];
    record.first += words;
    record.second += hops;
  }

 private:
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
    for (ReferenceStep& s : loops_) {
      s.end = s.loop.end;
      s.residual = s.loop.residual;
    }
  }

  void measure_loops() {
    std::vector<i64> middle(workload_.dimensions.size(), 1), last = middle;
    for (ReferenceStep& s : loops_) {
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

  const Workload& workload_;
  std::vector<ReferenceStep> loops_;
  std::vector<i64> origin_;
};

}  // namespace heliolite::testing

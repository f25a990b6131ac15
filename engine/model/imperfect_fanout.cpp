#include "engine/model/imperfect_fanout.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/distinct_offsets.h"

namespace heliolite {
namespace {

// Words apart, per iteration of each spatial loop: offsets of all ranks linearised over the box they span.
std::array<u64, kMaxLoops> linear_steps(const CompiledTensor& t, const ImperfectNest& nest, int begin, int end) {
  std::array<u64, kMaxRanks> span;  // largest offset + 1
  for (int r = 0; r < t.rank_count; ++r) span[r] = 1;
  for (int l = begin; l < end; ++l) {
    const ImperfectLoop& loop = nest.loop[l];
    for (int k = t.first_of[loop.dimension]; k < t.first_of[loop.dimension + 1]; ++k)
      span[t.by_dimension[k].rank] += t.by_dimension[k].coefficient * loop.step * (loop.end - 1);
  }
  std::array<u64, kMaxRanks> weight;
  u64 product = 1;
  for (int r = 0; r < t.rank_count; ++r) {
    weight[r] = product;
    product *= span[r];
  }
  std::array<u64, kMaxLoops> step;
  for (int l = begin; l < end; ++l) {
    const ImperfectLoop& loop = nest.loop[l];
    step[l] = 0;
    for (int k = t.first_of[loop.dimension]; k < t.first_of[loop.dimension + 1]; ++k)
      step[l] += t.by_dimension[k].coefficient * loop.step * weight[t.by_dimension[k].rank];
  }
  return step;
}

// Lists the receivers in use by counting through the loops like an odometer. A dimension that is unrolled along both
// axes runs its inner loop to the residual only in the last iteration of the outer one.
struct ReceiverList {
  const ImperfectNest& nest;
  int begin;
  const std::array<u64, kMaxLoops>& step;
  u64 grid_columns;
  std::vector<FanoutReceiver>& out;

  void list(int l, u64 offset, DimensionMask last) {
    if (l < begin) {
      const u64 id = out.size();
      out.push_back({offset, static_cast<u32>(id % grid_columns), static_cast<u32>(id / grid_columns)});
      return;
    }
    const ImperfectLoop& loop = nest.loop[l];
    const bool in_last = (last & loop.bit()) != 0;
    const u64 count = in_last ? loop.residual : loop.end;
    for (u64 k = 0; k < count; ++k) {
      const bool stays_last = in_last && k + 1 == count;
      list(l - 1, offset + k * step[l], stays_last ? last : static_cast<DimensionMask>(last & ~loop.bit()));
    }
  }
};

u64 receivers_along(const ImperfectNest& nest, int level, int dimension, bool last) {
  u64 middle_count = 1, last_count = 1;
  for (int l = nest.first_temporal[level] - 1; l >= nest.first[level]; --l) {
    const ImperfectLoop& loop = nest.loop[l];
    if (loop.dimension != dimension) continue;
    middle_count *= loop.end;
    last_count = loop.end * (last_count - 1) + loop.residual;
  }
  return last ? last_count : middle_count;
}

}  // namespace

u64 active_receivers(const ImperfectNest& nest, int level, DimensionMask last) {
  u64 count = 1;
  DimensionMask seen = 0;
  for (int l = nest.first[level]; l < nest.first_temporal[level]; ++l) {
    const ImperfectLoop& loop = nest.loop[l];
    if (seen & loop.bit()) continue;
    seen |= loop.bit();
    count *= receivers_along(nest, level, loop.dimension, (last & loop.bit()) != 0);
  }
  return count;
}

u64 distinct_receivers(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                       DimensionMask last) {
  if (!nest.has_spatial(level)) return 1;
  u64 count = 1;
  DimensionMask seen = 0;
  std::array<u64, kMaxDimensions> along, step;
  for (int l = nest.first[level]; l < nest.first_temporal[level]; ++l) {  // innermost first: gives the step
    const ImperfectLoop& loop = nest.loop[l];
    const u8 d = loop.dimension;
    if ((seen & loop.bit()) || !contains(t.indexing, d)) continue;
    seen |= loop.bit();
    along[d] = receivers_along(nest, level, d, (last & loop.bit()) != 0);
    step[d] = t.by_dimension[t.first_of[d]].coefficient * loop.step;
    count *= along[d];
  }
  if (!t.sliding || count == 1) return count;
  bool enumerate = t.entangled;
  for (int r = 0; r < t.rank_count && !enumerate; ++r) {
    std::array<u8, 2> d{};
    int sharing = 0;
    for (int k = 0; k < kMaxDimensions && sharing <= 2; ++k)
      if (contains(seen & t.sharing[r], k)) {
        if (sharing < 2) d[at(sharing)] = static_cast<u8>(k);
        ++sharing;
      }
    if (sharing == 2) {
      const u64 pairs = along[d[0]] * along[d[1]];
      count = count / pairs * distinct_sums(step[d[0]], along[d[0]], step[d[1]], along[d[1]]);
    }
    enumerate = sharing > 2;
  }
  if (!enumerate) return count;
  thread_local std::vector<ReceiverGroups> groups;
  imperfect_groups(t, nest, level, machine, last, groups);
  u64 distinct = 0;
  for (const ReceiverGroups& g : groups) distinct += g.groups;
  return distinct;
}

void imperfect_groups(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                      DimensionMask last, std::vector<ReceiverGroups>& out) {
  out.clear();
  if (!nest.has_spatial(level)) {
    out.push_back({1, 1, 0});
    return;
  }
  thread_local std::vector<FanoutReceiver> receivers;  // reused: this is called in searches
  receivers.clear();
  const int begin = nest.first[level], end = nest.first_temporal[level];
  const u64 columns = std::max(machine.fanout_x, nest.columns[level]);
  const u64 rows = std::max(machine.fanout_y, nest.fanout[level] / nest.columns[level]);
  const auto step = linear_steps(t, nest, begin, end);
  ReceiverList{nest, begin, step, columns, receivers}.list(end - 1, 0, last);
  group_receivers(receivers, rows, out);
}

}  // namespace heliolite

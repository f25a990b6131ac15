// Dimensions that are one dimension to every mapping's cost: a smaller mapspace with the same best value
// (docs/rules/exact.md, rule merge-dimensions).
#include "engine/space/symmetry.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// What the constraints say of a dimension in one place; Other: something that depends on its size.
enum class Freedom : u8 { None, Any, Whole, Other };

constexpr u64 kAnyRoom = std::numeric_limits<u64>::max();  // room of a temporal loop

Freedom freedom(const FactorLimit& limit, u64 size, u64 room) {
  if (limit.max == 1) return Freedom::None;
  if (limit.min == size) return Freedom::Whole;
  return limit.min == 1 && limit.max == std::min(size, room) ? Freedom::Any : Freedom::Other;
}

// Iterations of one dimension for which the axes of a fan-out have room.
u64 room(const SpatialSpace& fanout, int d) {
  constexpr u64 kMost = std::numeric_limits<u32>::max();
  const u64 x = contains(fanout.allowed_x, d) ? fanout.fanout_x : 1;
  const u64 y = contains(fanout.allowed_y, d) ? fanout.fanout_y : 1;
  return std::min(kMost, std::min(kMost, x) * std::min(kMost, y));
}

int position(std::span<const u8> order, int d) {
  const auto found = std::find(order.begin(), order.end(), d);
  return found == order.end() ? -1 : static_cast<int>(found - order.begin());
}

// Neither is in the order, or e comes directly after d.
bool adjacent(std::span<const u8> order, int d, int e) {
  const int first = position(order, d), second = position(order, e);
  return first < 0 ? second < 0 : second == first + 1;
}

void remove(OrderPrefix& order, DimensionMask gone) {
  OrderPrefix out;
  for (const u8 d : order.dimensions())
    if (!contains(gone, d)) out.dimension[out.count++] = d;
  order = out;
}

}  // namespace

MergedDimensions::MergedDimensions(const Mapspace& space, const Compiled& compiled)
    : space_(&space), compiled_(&compiled), size_(space.size) {
  constexpr u64 kMostSize = std::numeric_limits<std::int32_t>::max();  // check(Workload) allows no more
  const DimensionMask standalone = standalone_dimensions(compiled);
  DimensionMask taken = 0;
  for (const int d : bits(standalone)) {
    if (contains(taken, d)) continue;
    std::vector<int> group{d};
    u64 size = size_[d];
    for (const int e : bits(standalone & ~((2u << d) - 1))) {
      if (contains(taken, e) || size > kMostSize / size_[e] || !mergeable(d, e) || !neighbours(group.back(), e))
        continue;
      group.push_back(e);
      size *= size_[e];
    }
    if (group.size() < 2) continue;
    for (const int e : group) taken |= dimension_bit(e);
    groups_.push_back(group);
  }
}

bool MergedDimensions::mergeable(int d, int e) const {
  for (int v = 0; v < compiled_->tensor_count; ++v) {
    const CompiledTensor& t = compiled_->tensor[v];
    if (contains(t.indexing, d) != contains(t.indexing, e)) return false;
    if (t.sliding && !contains(t.indexing, d)) return false;
  }
  for (const LevelSpace& level : space_->levels) {
    const auto same = [&](const FactorLimits& limit, u64 d_room, u64 e_room) {
      const Freedom mine = freedom(limit[d], size_[d], d_room);
      return mine != Freedom::Other && mine == freedom(limit[e], size_[e], e_room);
    };
    if (!same(level.temporal.factor, kAnyRoom, kAnyRoom)) return false;
    const SpatialSpace& fanout = level.spatial;
    if (!same(fanout.factor, room(fanout, d), room(fanout, e))) return false;
    if (contains(fanout.allowed_x, d) != contains(fanout.allowed_x, e)) return false;
    if (contains(fanout.allowed_y, d) != contains(fanout.allowed_y, e)) return false;
    if (space_->one_axis_per_dimension && contains(fanout.allowed_x & fanout.allowed_y, d)) return false;
  }
  return true;
}

bool MergedDimensions::neighbours(int d, int e) const {
  for (std::size_t i = 0; i < space_->levels.size(); ++i) {
    const LevelSpace& level = space_->levels[i];
    if (!adjacent(level.temporal.order.dimensions(), d, e) || !adjacent(level.spatial.order.dimensions(), d, e))
      return false;
    const CompiledLevel& machine = compiled_->level[i];
    const bool way_costs = machine.hops_cost || machine.routers_cost;
    if (way_costs && !adjacent(canonical_order(*space_, level.spatial.order), d, e)) return false;
  }
  return true;
}

int MergedDimensions::absorbed() const {
  return std::accumulate(groups_.begin(), groups_.end(), 0,
                         [](int sum, const auto& group) { return sum + static_cast<int>(group.size()) - 1; });
}

Workload MergedDimensions::merge(Workload workload) const {
  for (const std::vector<int>& group : groups_)
    for (std::size_t k = 1; k < group.size(); ++k) {
      workload.dimensions[group[0]].size *= size_[group[k]];
      workload.dimensions[group[k]].size = 1;
    }
  return workload;
}

Mapspace MergedDimensions::merge(Mapspace space) const {
  for (const std::vector<int>& group : groups_) {
    const int first = group[0];
    const u64 part = size_[first];
    u64 size = 1;
    DimensionMask gone = 0;
    for (const int d : group) {
      size *= size_[d];
      if (d == first) continue;
      gone |= dimension_bit(d);
      space.size[d] = 1;
    }
    space.size[first] = size;
    space.non_unit &= static_cast<DimensionMask>(~gone);
    for (LevelSpace& level : space.levels) {
      const auto widen = [&](FactorLimits& limit, u64 most) {
        FactorLimit& mine = limit[first];
        const Freedom before = freedom(mine, part, most);
        if (before == Freedom::Whole) mine = {size, size};
        if (before == Freedom::Any) mine.max = std::min(size, most);
        for (const int d : bits(gone)) limit[d] = {1, 1};
      };
      widen(level.temporal.factor, kAnyRoom);
      widen(level.spatial.factor, room(level.spatial, first));
      const auto keep = static_cast<DimensionMask>(~gone);
      level.temporal.allowed &= keep;
      level.spatial.allowed_x &= keep;
      level.spatial.allowed_y &= keep;
      remove(level.temporal.order, gone);
      remove(level.spatial.order, gone);
    }
  }
  return space;
}

Mapping MergedDimensions::join(const Mapping& mapping) const {
  std::array<int, kMaxDimensions> into;
  std::iota(into.begin(), into.end(), 0);
  for (const std::vector<int>& group : groups_)
    for (const int d : group) into[d] = group[0];
  const auto alike = [&](const Loop& a, const Loop& b) {
    return a.level == b.level && a.kind == b.kind && into[a.dimension] == into[b.dimension];
  };
  Mapping out = mapping.without_loops();
  for (int k = 0; k < mapping.loop_count; ++k) {
    const Loop& loop = mapping.loop[k];
    u64 end = 1;
    bool first = true;
    for (int j = 0; j < mapping.loop_count; ++j) {
      if (!alike(mapping.loop[j], loop)) continue;
      first &= j >= k;
      end *= mapping.loop[j].end;
    }
    if (first) out.add(loop.kind, loop.level, into[loop.dimension], end);
  }
  return out;
}

Mapping MergedDimensions::split(const Mapping& merged, const Mapspace& space) const {
  std::array<u64, kMaxDimensions> left = size_;
  std::array<const std::vector<int>*, kMaxDimensions> parts{};
  for (const std::vector<int>& group : groups_) parts[group[0]] = &group;
  Mapping out = merged.without_loops();
  for (const Loop& loop : merged.loops()) {
    if (parts[loop.dimension] == nullptr) {
      out.add(loop.kind, loop.level, loop.dimension, loop.end);
      continue;
    }
    u64 rest = loop.end;
    for (const int d : *parts[loop.dimension]) {
      const u64 factor = std::gcd(rest, left[d]);
      out.add(loop.kind, loop.level, d, factor);
      left[d] /= factor;
      rest /= factor;
    }
  }
  // Spatial loops stand in the order that is usual for the unmerged layer.
  const auto rank = [&](const Loop& loop) {
    const std::vector<u8> order = canonical_order(space, space.levels[loop.level].spatial.order);
    return position(order, loop.dimension);
  };
  std::stable_sort(out.loop.begin(), out.loop.begin() + out.loop_count, [&](const Loop& a, const Loop& b) {
    if (a.level != b.level || a.kind != b.kind || !a.is_spatial())
      return std::pair(a.level, a.kind) < std::pair(b.level, b.kind);
    return rank(a) < rank(b);
  });
  return out;
}

DimensionMask keep_batch_outermost(Mapspace& space, const Compiled& compiled) {
  DimensionMask batch = standalone_dimensions(compiled);
  for (int v = 0; v < compiled.tensor_count; ++v) batch &= compiled.tensor[v].indexing;
  DimensionMask out = 0;
  const TemporalSpace& outermost = space.levels.back().temporal;
  for (const int d : bits(batch)) {
    const FactorLimit& limit = outermost.factor[d];
    if (limit.min != 1 || limit.max != space.size[d] || position(outermost.order.dimensions(), d) >= 0) continue;
    for (std::size_t i = 0; i + 1 < space.levels.size(); ++i) {
      TemporalSpace& inner = space.levels[i].temporal;
      if (inner.factor[d].min != 1 || inner.factor[d].max == 1) continue;
      inner.factor[d].max = 1;
      inner.allowed &= static_cast<DimensionMask>(~dimension_bit(d));
      out |= dimension_bit(d);
    }
  }
  return out;
}

Mapping with_batch_outermost(const Mapping& mapping, const Mapspace& space) {
  const int top = mapping.level_count - 1;
  std::array<u64, kMaxDimensions> moved;
  moved.fill(1);
  for (const Loop& loop : mapping.loops())
    if (!loop.is_spatial() && !space.levels[loop.level].temporal.factor[loop.dimension].allows(loop.end))
      moved[loop.dimension] *= loop.end;
  Mapping out = mapping.without_loops();
  for (const Loop& loop : mapping.loops()) {
    u64& goes = moved[loop.dimension];
    const bool stays = loop.is_spatial() || space.levels[loop.level].temporal.factor[loop.dimension].allows(loop.end);
    if (stays && loop.level == top && !loop.is_spatial() && goes > 1) goes *= loop.end;
    else if (stays) out.add(loop.kind, loop.level, loop.dimension, loop.end);
  }
  for (int d = 0; d < space.dimension_count; ++d) out.add(LoopKind::Temporal, top, d, moved[d]);
  return out;
}

}  // namespace heliolite

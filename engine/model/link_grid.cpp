#include "engine/model/link_grid.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// Appends the offsets of all receivers that loops [0, depth) reach from `offset`. A loop runs to its residual where
// those of its dimension outside it are in their last iteration.
void list_units(std::span<const LinkLoop> loops, std::span<const i64> step, std::size_t depth, i64 offset,
                DimensionMask context, std::vector<i64>& out) {
  if (depth == 0) return out.push_back(offset);
  const LinkLoop& loop = loops[depth - 1];
  const bool in_last = contains(context, loop.dimension);
  const u64 count = in_last ? loop.residual : loop.end;
  const auto middle = static_cast<DimensionMask>(context & ~dimension_bit(loop.dimension));
  for (u64 k = 0; k < count; ++k)
    list_units(loops, step, depth - 1, offset + static_cast<i64>(k) * step[depth - 1],
               in_last && k + 1 == count ? context : middle, out);
}

}  // namespace

LinkGrid::LinkGrid(std::span<const LinkLoop> loops, u64 columns, u64 rows)
    : loops_(loops.begin(), loops.end()), columns_(columns), rows_(rows) {
  for (const LinkLoop& loop : loops_)
    for (std::size_t r = 0; r < reach_.size(); ++r) reach_[r] += loop.move[r] * static_cast<i64>(loop.end - 1);
  i64 weight = 1;
  for (std::size_t r = 0; r < reach_.size(); ++r) {
    weight_[r] = weight;
    weight *= 2 * reach_[r] + 1;
  }
  for (const LinkLoop& loop : loops_) {
    i64 step = 0;
    for (std::size_t r = 0; r < reach_.size(); ++r) step += loop.move[r] * weight_[r];
    step_.push_back(step);
  }
}

const std::vector<i64>& LinkGrid::units(DimensionMask context) {
  for (const Listed& known : listed_)
    if (known.context == context) return known.offsets;
  listed_.push_back({context, {}});
  list_units(loops_, step_, loops_.size(), 0, context, listed_.back().offsets);
  return listed_.back().offsets;
}

LinkShare LinkGrid::without_links(DimensionMask context) {
  LinkShare out;
  share(units(context), {}, out);
  return out;
}

LinkShare LinkGrid::with_links(DimensionMask context, DimensionMask before, const RankMove& shift) {
  LinkShare out;
  i64 moved = 0;
  bool possible = true;
  for (std::size_t r = 0; r < shift.size(); ++r) {
    possible &= std::abs(shift[r]) <= reach_[r];
    moved += shift[r] * weight_[r];
  }
  units(before);  // both lists are there before one is referred to
  const std::vector<i64>& now = units(context);
  const std::vector<i64>& old = units(before);
  const auto linked = std::make_unique<bool[]>(now.size());
  for (std::size_t id = 0; id < now.size() && possible; ++id) {
    linked[id] = has_neighbour(id, now[id] + moved, old);
    out.linked += linked[id];
  }
  share(now, {linked.get(), now.size()}, out);
  return out;
}

// Receivers of the step before are numbered as they were then.
bool LinkGrid::has_neighbour(std::size_t id, i64 offset, const std::vector<i64>& before) const {
  const std::size_t column = id % columns_, row = id / columns_;
  const auto had = [&](std::size_t neighbour) { return neighbour < before.size() && before[neighbour] == offset; };
  return (column > 0 && had(id - 1)) || (column + 1 < columns_ && had(id + 1)) || (row > 0 && had(id - columns_)) ||
         (row + 1 < rows_ && had(id + columns_));
}

void LinkGrid::share(const std::vector<i64>& offsets, std::span<const bool> linked, LinkShare& out) {
  std::vector<FanoutReceiver> receivers;
  for (std::size_t id = 0; id < offsets.size(); ++id)
    if (linked.empty() || !linked[id])
      receivers.push_back(
          {static_cast<u64>(offsets[id]), static_cast<u32>(id % columns_), static_cast<u32>(id / columns_)});
  group_receivers(receivers, rows_, out.groups);
  for (const ReceiverGroups& g : out.groups) out.distinct += g.groups;
}

}  // namespace heliolite

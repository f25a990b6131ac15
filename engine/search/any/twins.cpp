// Twins: what tensors that pass by a level ask of the one outside it, counted by the tile of the level that they pass.
// Proof: docs/rules/any_factors.md.
#include <algorithm>

#include "engine/search/any/open_flow.h"
#include "engine/search/any/still_units.h"

namespace heliolite {
namespace {

// Twins are for tensors with plain ranks. At most kParts - 1 dimensions may index them, so that every word of a whole
// mapping's flow is counted.
bool can_have_twins(const Compiled& c, const CompiledTensor& t) {
  if (!has_plain_ranks(t)) return false;
  int dimensions = 0;
  for (const int d : bits(t.indexing)) dimensions += c.size[at(d)] > 1;
  return dimensions < OpenFlow::kParts;
}

}  // namespace

void KeptFlows::add_twin(Flow& flow) {
  if (flow.to_compute || flow.by_network || flow.carried || flow.enters || flow.boundary == flow.outer) return;
  if (!can_have_twins(c_, c_.tensor[flow.tensor])) return;
  Flow twin = flow;
  twin.is_twin = true;
  flow.twin = flow.outer;
  const CompiledLevel& inside = c_.level[at(flow.inner())];
  u128 held = inside.room == CompiledLevel::kUnbounded ? inside.room : inside.room / inside.taken(flow.tensor, 1);
  for (int i = flow.boundary; i < flow.outer; ++i) {
    const auto along_x = static_cast<DimensionMask>(unrollable_.x[at(i)] & flow.indexing);
    const auto along_y = static_cast<DimensionMask>(unrollable_.y[at(i)] & flow.indexing);
    DimensionMask here = 0;
    if (c_.level[at(i)].fanout_x > 1) here |= along_x;
    if (c_.level[at(i)].fanout_y > 1) here |= along_y;
    twin.spread_again |= twin.spread & here;
    twin.spread |= here;
    held *= along_x != 0 ? c_.level[at(i)].fanout_x : 1;
    held *= along_y != 0 ? c_.level[at(i)].fanout_y : 1;
    held = std::min(held, u128{CompiledLevel::kUnbounded});
  }
  twin.held = static_cast<u64>(held);
  twin.own = flow.boundary;
  twin.boundary = flow.twin;
  passing_.push_back(twin);
}

// Of a tile of a twin with more words than all units inside hold, a loop inside has moved some, so that these cross in
// each tile of the dimensions that do not index the tensor. The rest is in place.
void OpenFlow::close_what_is_not_held(const Trail& trail) {
  u64 box = 1;
  for (const int d : bits(flow_->indexing)) box *= (c_.size[at(d)] - 1) / trail.of(d).most_tiles() + 1;
  if (box <= flow_->held) {
    held_ = true;
    return;
  }
  u64 stays = 0;
  for (const int d : bits(flow_->indexing))
    if (c_.size[at(d)] > 1) stays = std::max(stays, may_be_held(trail, box, d));
  stays = std::min(stays, open_.words.shared);
  const u64 moved = (open_.words.shared - stays) * shared_times(open_, trail);
  closed_ = {moved, moved};
  open_.words = {stays, stays};
}

// Words at most that a loop over dimension d inside the tile of a twin, with `box` words, leaves where they are: in the
// last tile along d. If that is the only one, only units that find no second iteration keep what they hold.
u64 OpenFlow::may_be_held(const Trail& trail, u64 box, int d) const {
  const u64 held = flow_->held;
  u64 of_tile = held;
  if (trail.of(d).most_tiles() == 1 && !contains(flow_->spread_again, d))
    of_tile = contains(flow_->spread, d) ? std::max(static_cast<u64>(u128{held} * held / box) + 1, held / 2 + 1) : 0;
  u128 tiles = 1;
  for (const int other : bits(flow_->indexing))
    if (other != d) tiles *= trail.of(other).most_tiles();
  return static_cast<u64>(std::min<u128>(tiles * of_tile, open_.words.shared));
}

// Words at most that the first loop to come over a dimension of a twin's tensor leaves where they are.
u64 OpenFlow::may_stay_of_twin(const Trail& trail) const {
  const u64 all = open_.words.fetched;
  if (!held_) return all;
  u64 most = 0;
  for (const int d : bits(flow_->indexing)) {
    const u64 size = c_.size[at(d)];
    if (size == 1) continue;
    const u64 inside = inside_[at(d)];
    const TrailDimension& now = trail.of(d);
    u64 along = most_that_stay(size, base_tiles_[at(d)], now.more, most_units(d), trail.widest(d));
    if (base_tiles_[at(d)] == 1 && inside != 1) along = std::max(along, most_left_by_units(size, inside));
    most = std::max(most, std::min(along, size) * (all / size));
  }
  return most;
}

}  // namespace heliolite

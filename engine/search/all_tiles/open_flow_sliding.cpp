// Flows of tensors with sliding ranks (docs/rules/any_factors.md, item 4).
#include <algorithm>
#include <bit>
#include <utility>

#include "engine/search/all_tiles/flows.h"
#include "engine/search/all_tiles/open_flow.h"
#include "engine/search/all_tiles/sliding_words.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {

// Units that stand in different places may ask for the same tile of a sliding tensor together. `shared` has been the
// requests that no two units make together so far. Or, all parts alike, as it is their sum that is bounded: what units
// fetch, divided by those that ask together.
void OpenFlow::share_tiles(const Trail& trail, u64 together) {
  u64 apart = 0, divided = 0;
  const auto add = [&](const FlowTraffic& words, u64 times) {
    apart += words.shared * times, divided += words.fetched / together * times;
  };
  for (int k = 0; k < parts_; ++k) add(part_[k].words, shared_times(part_[k], trail));
  const u64 held = open_.words.fetched + again_.fetched;
  add({held, open_.words.shared + again_.shared}, first_times(open_.shared, trail));
  if (divided <= apart) return;
  for (int k = 0; k < parts_; ++k) part_[k].words.shared = ceil_div(part_[k].words.fetched, together);
  open_.words.shared = open_.words.fetched / together;
  again_.shared = held / together - open_.words.shared;
}

// The compute units ask for a word at each MAC: what is left when units that meet ask once.
void OpenFlow::ask(const PlacedFlow& placed) {
  const u64 times = all_times(part_[0].shared, placed.trail);
  const auto not_indexing = static_cast<DimensionMask>(~flow_->indexing);
  const u64 others = placed.costs.units_to_come(placed.trail, placed.reach, flow_->outer, not_indexing);
  if (t_.entangled) {
    const u64 together = others * units_that_meet(placed);
    closed_.shared = std::max(flow_->touched, (part_[0].words.shared * times - 1) / together + 1);
    return;
  }
  const Requests words = requests(placed);
  closed_.shared = std::max((words.placed * times - 1) / room_ + 1, (words.at_least * times - 1) / others + 1);
}

// A tile that each context moves is fetched anew whenever a loop outside goes on; where the last one alone does not,
// what only it touches stays (docs/rules/any_factors.md).
void OpenFlow::move_sliding(const TrailLoop& loop) {
  const u8 d = loop.dimension;
  const u64 before = open_.words.fetched;
  u64 after = loop.last > 1 ? 0 : before, moved = c_.size[d];  // moved: of the dimension, in every context
  if (!contains(looped_, d)) {
    // Where units have no second iteration, what only the last context touches may stay; of a rank of its own what only
    // these units hold.
    const u64 around = units_[d], group = around * loop.end, tiles = base_tiles_[d];
    const u64 rest = tiles - (tiles - 1) / group * group;
    const bool own = contains(flow_->own_rank, d);
    if (rest < 2 * around) moved = own ? c_.size[d] - still(loop) : (tiles - rest) * base_[d];
    after = rest >= 2 * around ? 0
            : own              ? part_of_rank(d, c_.size[d] - moved)
            : moved == 0       ? before
                               : only_at_end(d, c_.size[d] - moved);
  }
  const FlowTraffic whole = std::exchange(whole_once_, {});
  again_.fetched = std::max(again_.fetched, whole.fetched - std::min(whole.fetched, open_.words.fetched));
  again_.shared = std::max(again_.shared, whole.shared - std::min(whole.shared, open_.words.shared));
  if (after < before && parts_ < kParts) {
    const u64 different = open_.words.shared, stay = std::min(after, different);
    FlowTraffic words{before - after, different - stay};
    if (after == 0) {
      const FlowTraffic more = std::exchange(again_, {});
      words.fetched += more.fetched, words.shared += more.shared;
    }
    const u64 tile_by_tile = moving_ ? 0 : moved_by(loop, moved);
    const u64 excess = tile_by_tile - std::min(tile_by_tile, words.fetched);
    words.fetched += excess;
    again_.fetched -= std::min(again_.fetched, excess);  // maybe the same words
    close(words);
    open_.words = {after, stay};
  }
  moving_ = true;
}

// Words in place of `extent` of a dimension that is a rank of its own, at most.
u64 OpenFlow::part_of_rank(int d, u64 extent) const { return ceil_div(open_.words.fetched, u64{c_.size[d]}) * extent; }

// Words in place of a sliding tensor that only the last `extent` of a dimension touches, at most.
u64 OpenFlow::only_at_end(int d, u64 extent) const {
  // Where more dimensions are in a rank the different words are not known exactly.
  if (t_.entangled || std::ranges::any_of(t_.sharing, [](DimensionMask m) { return std::popcount(m) > 2; }))
    return open_.words.fetched;
  Extents without = c_.size;
  without[d] -= static_cast<u32>(extent);
  return std::min(open_.words.fetched, flow_->touched - touched_words(t_, without));
}

// Words along a rank of `tiles` of each dimension, every box by itself.
u64 OpenFlow::box_words(int rank, const Tiles& tiles) const {
  u64 product = 1, sum = 0, coefficients = 0;
  for (int k = 0; k < t_.first_of[kMaxDimensions]; ++k)
    if (t_.by_dimension[k].rank == rank) product *= tiles[t_.by_dimension[k].dimension];
  for (int k = 0; k < t_.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t_.by_dimension[k];
    if (term.rank != rank) continue;
    coefficients += term.coefficient;
    sum += term.coefficient * u64{c_.size[term.dimension]} * (product / tiles[term.dimension]);
  }
  return sum + product - coefficients * product;
}

// Words of all tiles along a rank that `loop`, the innermost that moves the tensor, moves along, of the first `extent`
// of its dimension.
u64 OpenFlow::rank_words(int rank, const TrailLoop& loop, u64 extent) const {
  const u8 d = loop.dimension;
  bool alone = true;  // of the rank's dimensions only the loop's has several tiles
  i64 halo = 1;
  u64 mine = 0;
  for (int k = 0; k < t_.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t_.by_dimension[k];
    if (term.rank != rank) continue;
    if (term.dimension == d) {
      mine = term.coefficient;
      halo -= term.coefficient;
    } else {
      halo += i64{term.coefficient} * (static_cast<i64>(c_.size[term.dimension]) - 1);
      alone &= base_tiles_[term.dimension] == 1;
    }
  }
  Extents size = c_.size;
  size[d] = static_cast<u32>(extent);
  if (!alone || units_[d] != 1 || loop.end == 2)
    return std::max(touched_along(t_, rank, size), extent == c_.size[d] ? held_along_[rank] : 0);
  const u64 tiles = ceil_div(extent, base_[d]), sweeps = ceil_div(tiles, u64{loop.end});
  return static_cast<u64>(static_cast<i64>(mine * extent) + static_cast<i64>(halo > 0 ? sweeps : tiles) * halo);
}

// The ranks that a loop over a dimension moves along.
DimensionMask OpenFlow::ranks_along(int d) const {
  DimensionMask along = 0;
  for (int k = t_.first_of[d]; k < t_.first_of[d + 1]; ++k) along |= dimension_bit(t_.by_dimension[k].rank);
  return along;
}

// Words that cross while `loop`, the first to move the tensor, and those outside run once through all tiles of the
// first `extent` of its dimension.
u64 OpenFlow::moved_by(const TrailLoop& loop, u64 extent) const {
  if (t_.entangled) return flow_->touched;
  u64 fetched = 1;
  const DimensionMask along = ranks_along(loop.dimension);
  for (int r = 0; r < t_.rank_count; ++r)
    fetched *= contains(along, r) ? rank_words(r, loop, extent) : box_words(r, base_tiles_);
  return fetched;
}

// Words along a rank if every tile comes whole, whichever of the numbers of tiles it is. Of two dimensions it is linear
// in each number, so least where both are the fewest or the most.
u64 OpenFlow::least_rank_words(int rank, const Trail& trail) const {
  std::array<u8, 2> dimension{};
  std::size_t terms = 0;
  for (int k = 0; k < t_.first_of[kMaxDimensions]; ++k) {
    if (t_.by_dimension[k].rank != rank) continue;
    if (terms == 2) return touched_along(t_, rank, c_.size);
    dimension[terms++] = t_.by_dimension[k].dimension;
  }
  u64 least = ~u64{0};
  for (std::size_t corner = 0; corner < std::size_t{1} << terms; ++corner) {
    Tiles tiles = base_tiles_;
    for (std::size_t k = 0; k < terms; ++k)
      if (contains(corner, k)) tiles[dimension[k]] += trail.at_begin(flow_->boundary)[dimension[k]].more;
    least = std::min(least, box_words(rank, tiles));
  }
  return least;
}

// What comes with a loop that is the first that moves the tensor: along the ranks that it does not move, each tile
// comes whole.
void OpenFlow::look_at_halos(const Trail& trail, u64 together) {
  if (t_.entangled) return;
  std::array<u64, kMaxRanks> whole{};
  for (int r = 0; r < t_.rank_count; ++r) whole[r] = least_rank_words(r, trail);
  for (const int d : bits(flow_->indexing)) {
    if (trail.of(d).most_tiles() == 1) continue;
    const DimensionMask along = ranks_along(d);
    u64 words = 1;
    for (int r = 0; r < t_.rank_count; ++r)
      words *= contains(along, r) ? std::min(whole[r], touched_along(t_, r, c_.size)) : whole[r];
    mover_[d].come = {words, words / together};
  }
}

// Bypass proxies: what tensors that pass by a level ask of the one outside it, counted by the tile that they pass.
// Proof: docs/rules/any_factors.md.

namespace {

// Proxies are for tensors with plain ranks. At most kParts - 1 dimensions may index them, so that every word of a whole
// mapping's flow is counted.
bool can_have_proxy(const Compiled& c, const CompiledTensor& t) {
  if (!has_plain_ranks(t)) return false;
  int dimensions = 0;
  for (const int d : bits(t.indexing)) dimensions += c.size[d] > 1;
  return dimensions < OpenFlow::kParts;
}

}  // namespace

void KeptFlows::add_proxy(Flow& flow) {
  if (flow.to_compute || flow.by_network || flow.carried || flow.enters || flow.boundary == flow.outer) return;
  if (!can_have_proxy(c_, c_.tensor[flow.tensor])) return;
  Flow proxy = flow;
  proxy.is_proxy = true;
  flow.proxy = flow.outer;
  const CompiledLevel& inside = c_.level[flow.inner()];
  u128 held = inside.room == CompiledLevel::kUnbounded ? inside.room : inside.room / inside.taken(flow.tensor, 1);
  for (int i = flow.boundary; i < flow.outer; ++i) {
    const auto along_x = static_cast<DimensionMask>(unrollable_.x[i] & flow.indexing);
    const auto along_y = static_cast<DimensionMask>(unrollable_.y[i] & flow.indexing);
    DimensionMask here = 0;
    if (c_.level[i].fanout_x > 1) here |= along_x;
    if (c_.level[i].fanout_y > 1) here |= along_y;
    proxy.spread_again |= proxy.spread & here;
    proxy.spread |= here;
    held *= along_x != 0 ? c_.level[i].fanout_x : 1;
    held *= along_y != 0 ? c_.level[i].fanout_y : 1;
    held = std::min(held, u128{CompiledLevel::kUnbounded});
  }
  proxy.held = static_cast<u64>(held);
  proxy.own = flow.boundary;
  proxy.boundary = flow.proxy;
  passing_.push_back(proxy);
}

// If a tile of a proxy has more words than all units inside hold, a loop inside has moved some, so that these cross in
// each tile of the dimensions that do not index the tensor. The rest is in place.
void OpenFlow::close_what_is_not_held(const Trail& trail) {
  u64 box = 1;
  for (const int d : bits(flow_->indexing)) box *= (c_.size[d] - 1) / trail.of(d).most_tiles() + 1;
  if (box <= flow_->held) {
    held_ = true;
    return;
  }
  u64 stays = 0;
  for (const int d : bits(flow_->indexing))
    if (c_.size[d] > 1) stays = std::max(stays, may_be_held(trail, box, d));
  stays = std::min(stays, open_.words.shared);
  const u64 moved = (open_.words.shared - stays) * shared_times(open_, trail);
  closed_ = {moved, moved};
  open_.words = {stays, stays};
}

// Words at most that a loop over dimension d inside the tile of a proxy, with `box` words, leaves where they are: in
// the last tile along d. If that is the only one, only units that find no second iteration keep what they hold.
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

// Words at most that the first loop to come over a dimension of a proxy's tensor leaves where they are.
u64 OpenFlow::may_stay_of_proxy(const Trail& trail) const {
  const u64 all = open_.words.fetched;
  if (!held_) return all;
  u64 most = 0;
  for (const int d : bits(flow_->indexing)) {
    const u64 size = c_.size[d];
    if (size == 1) continue;
    const u64 inside = inside_[d];
    const TrailDimension& now = trail.of(d);
    u64 along = most_that_stay(size, base_tiles_[d], now.more, most_units(d), trail.widest(d));
    if (base_tiles_[d] == 1 && inside != 1) along = std::max(along, most_left_by_units(size, inside));
    most = std::max(most, std::min(along, size) * (all / size));
  }
  return most;
}

}  // namespace heliolite

#include "engine/search/all_tiles/open_flow.h"

#include <algorithm>

#include "engine/search/all_tiles/sliding_words.h"

namespace heliolite {
namespace {

// Words of a tensor without sliding ranks that one dimension makes of an extent.
u64 words_along(const CompiledTensor& t, int d, u64 extent) {
  u64 n = 1;
  for (int k = t.first_of[d]; k < t.first_of[d + 1]; ++k) n *= 1 + u64{t.by_dimension[k].coefficient} * (extent - 1);
  return n;
}

// The last tile of a dimension at most, where no loop over it has two iterations: shorter than the others, so at most
// its share, and where the numbers of tiles stand for larger ones that of the fewest.
u64 longest_last_tile(const TrailDimension& now, u64 size) {
  if (now.more != 0) return size / std::max(now.tiles, 3u);
  return std::min(size / now.tiles, size - (u64{now.tiles} - 1) * now.tile);
}

constexpr auto kAllClasses = static_cast<ClassSet>(~0u);

// Along these, units share what they ask for: those that do not index the tensor, and of what nobody holds also those
// of one rank.
DimensionMask sharing_places(const Flow& flow) {
  return static_cast<DimensionMask>(~flow.indexing | (flow.to_compute ? flow.multicast : 0));
}

}  // namespace

OpenFlow::OpenFlow(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach,
                   const UnitsAlong& along)
    : c_(costs.compiled()),
      t_(c_.tensor[flow.tensor]),
      flow_(&flow),
      room_(costs.units_to_come(trail, reach, flow.outer, sharing_places(flow))),
      shares_later_(!costs.unrolled(reach)),
      outermost_(reach.level + 1 == c_.level_count),
      units_to_come_(along) {
  if (flow.by_network) {
    hops_ = word_hops(c_, flow, trail);
    fewest_.fill(~u64{0});
  }
  start(trail);
  if (flow.is_proxy) {
    for (const int d : bits(flow.indexing)) inside_[d] = costs.most_units(flow.own, flow.boundary, d);
    close_what_is_not_held(trail);
  }
  const PlacedFlow placed(costs, flow, trail, reach);
  if (flow.sliding && !flow.to_compute) {
    const HeldWords held = held_by_units(placed, along);
    again_ = {held.all.fetched - flow.touched, held.all.shared - flow.touched};
    held_along_ = held.along;
    whole_once_ = tile_by_tile(placed);
  }
  for (int l = trail.first(flow.boundary); l < trail.size(); ++l) {
    const TrailLoop& loop = trail[l];
    loop.is_spatial() ? spatial(loop) : temporal(loop);
    u32& tiles = tiles_[loop.dimension];
    tiles = (tiles - 1) / loop.end + 1;
  }
  if (flow.to_compute && flow.sliding) {
    ask(placed);
    return;
  }
  const u64 together = flow.sliding ? units_that_meet(placed) : 1;
  if (flow.sliding) share_tiles(trail, together);
  for (int k = 0; k < parts_; ++k) {
    closed_.fetched += part_[k].words.fetched * all_times(part_[k].fetched, trail);
    closed_.shared += part_[k].words.shared * shared_times(part_[k], trail);
    if (hops_.has_excess()) count_carried(part_[k], trail);
  }
  if (open()) look_outside(costs, trail, reach);
  if (open() && flow.sliding && !moving_) look_at_halos(trail, together);
}

void OpenFlow::start(const Trail& trail) {
  const auto& begin = trail.at_begin(flow_->boundary);
  open_.words = {};
  open_.last_context.fill({0, 1});
  if (flow_->sliding) held_along_ = {};
  u64 words = 1;
  for (int d = 0; d < c_.dimension_count; ++d) {
    open_.fetched[d] = open_.shared[d] = kOneCell;
    tiles_[d] = base_tiles_[d] = begin[d].tiles;
    base_[d] = begin[d].tile;
    units_[d] = 1;
    still_[d] = 0;
    if (!contains(flow_->indexing, d)) continue;
    // The largest of several numbers of tiles: with strides, more tiles leave more words between them out.
    const u64 size = c_.size[d], full = base_tiles_[d] + begin[d].more - 1;
    still_[d] = full * words_along(t_, d, std::min(base_[d], size)) +
                words_along(t_, d, size - full * std::min(base_[d], size));
    words *= still_[d];
  }
  if (flow_->sliding || flow_->is_proxy) words = flow_->touched;
  if (!flow_->to_compute) {
    open_.words = {words, words};
    return;
  }
  // Nothing is held: a word for each MAC. Units that ask for the same word at a step share, also along two dimensions
  // of one rank.
  close({});
  words = 1;
  for (const int d : bits(flow_->indexing)) words *= c_.size[d];
  part_[0].words = {0, words};
}

void OpenFlow::close(const FlowTraffic& words) {
  FlowPart& part = part_[parts_++];
  part = open_;
  part.words = words;
}

void OpenFlow::spatial(const TrailLoop& loop) {
  const u8 d = loop.dimension;
  const bool shares = loop.level <= flow_->outer;
  units_[d] *= loop.end;
  if (contains(flow_->indexing, d)) return;
  const int idle = idle_number(d);
  const auto add = [&](FlowPart& part) {
    part.fetched[d].all(loop);
    shares ? part.shared[d].first(loop) : part.shared[d].all(loop);
    if (idle >= 0 && !shares) part.last_context[idle].all(loop);
  };
  for (int k = 0; k < parts_; ++k) add(part_[k]);
  add(open_);
}

void OpenFlow::temporal(const TrailLoop& loop) {
  const u8 d = loop.dimension;
  if (contains(flow_->indexing, d)) {
    if (!flow_->to_compute && open()) flow_->sliding ? move_sliding(loop) : move(loop);
    looped_ |= dimension_bit(d);
    return;
  }
  for (int k = 0; k < parts_; ++k) part_[k].fetched[d].all(loop), part_[k].shared[d].all(loop);
  open_.fetched[d].first(loop), open_.shared[d].first(loop);
  const int idle = idle_number(d);
  if (idle < 0) return;
  for (int k = 0; k < parts_; ++k) part_[k].last_context[idle].all(loop);
  open_.last_context[idle].first(loop);
}

// Rule 36: words of the loop's dimension that stay where they are while it runs.
u64 OpenFlow::still(const TrailLoop& loop) const {
  const u8 d = loop.dimension;
  if (contains(looped_, d)) return loop.last > 1 ? 0 : still_[d];
  const u64 around = units_[d], tiles = base_tiles_[d], size = c_.size[d];
  const u64 group = around * loop.end, rest = tiles - (tiles - 1) / group * group;
  if (rest >= 2 * around) return 0;
  const u64 full = words_along(t_, d, std::min(base_[d], size));
  if (rest > around) return (2 * around - rest) * full;
  return (rest - 1) * full + words_along(t_, d, size - (tiles - 1) * base_[d]);
}

void OpenFlow::move(const TrailLoop& loop) {
  const u64 before = open_.words.fetched;
  if (parts_ == kParts) return;  // the rest is taken to stay: at most that few words move more often
  still_[loop.dimension] = still(loop);
  u64 after = 1;
  for (const int d : bits(flow_->indexing)) after *= still_[d];
  if (before > after) close({before - after, before - after});
  open_.words = {after, after};
}

u64 OpenFlow::all_times(const OtherCells& cells, const Trail& trail) const {
  u64 n = 1;
  for (int d = 0; d < c_.dimension_count; ++d)
    if (!contains(flow_->indexing, d)) n *= cells[d].if_all(trail.of(d).tiles);
  return n;
}

u64 OpenFlow::first_times(const OtherCells& cells, const Trail& trail) const {
  u64 n = 1;
  for (int d = 0; d < c_.dimension_count; ++d)
    if (!contains(flow_->indexing, d)) n *= cells[d].if_first(trail.of(d).tiles);
  return n;
}

// Requests that units to come do not share, at least `least`.
u64 OpenFlow::divided(u64 times, u64 least) const {
  return room_ == 1 ? times : std::max((times - 1) / room_ + 1, least);
}

u64 OpenFlow::shared_times(const FlowPart& part, const Trail& trail) const {
  const u64 all = all_times(part.shared, trail);
  return room_ == 1 ? all : divided(all, first_times(part.shared, trail));
}

// Words of a dimension of a tensor without sliding ranks that the next loop over it leaves where they are, at most: in
// the last context, where it has one sub-tile, or units have that stand in the second of two.
u64 OpenFlow::may_stay_along(const Trail& trail, int d) const {
  const TrailDimension& now = trail.of(d);
  const u64 all = still_[d], tiles = now.tiles, size = c_.size[d];
  if (outermost_loops_left(d)) {  // the next loop over it is the last, and has all its tiles
    if (contains(looped_, d)) return 0;
    return (2 * units_[d] - std::min<u64>(2 * units_[d], base_tiles_[d])) *
           words_along(t_, d, std::min<u64>(base_[d], size));
  }
  if (contains(looped_, d)) return tiles > 2 || now.more != 0 ? all : 0;
  if (units_[d] == 1 && tiles == 2 && now.more == 0) return 0;
  if (unrolls_later(d)) {
    if (words_along(t_, d, 2) != 2) return all;
    return std::min(all, most_that_stay(size, base_tiles_[d], now.more, most_units(d), trail.widest(d)));
  }
  if (units_[d] != 1 && tiles == 2)  // the second sub-tile has not enough for all units
    return (2 * units_[d] - std::min<u64>(2 * units_[d], base_tiles_[d])) *
           words_along(t_, d, std::min<u64>(base_[d], size));
  if (units_[d] != 1 || words_along(t_, d, 2) != 2) return all / 2;
  return std::min(all / 2, longest_last_tile(now, size));
}

u64 OpenFlow::may_stay(const Trail& trail, int d) const {
  if (flow_->is_proxy) {
    if (!outermost_loops_left(d)) return may_stay_of_proxy(trail);
    const u64 units = inside_[d], size = c_.size[d];
    if (trail.of(d).tiles > 2 || units == 1) return 0;
    const u64 stays = std::min(2 * trail.widest(d) - size, most_left_by_units(size, units));
    return std::min(open_.words.fetched, flow_->touched / size * stays);
  }
  if (!flow_->sliding) return open_.words.fetched / still_[d] * may_stay_along(trail, d);
  if (contains(flow_->own_rank, d)) return part_of_rank(d, may_stay_along(trail, d));
  const TrailDimension& now = trail.of(d);
  const u64 all = open_.words.fetched;
  if (outermost_loops_left(d)) return contains(looped_, d) || base_tiles_[d] >= 2 * units_[d] ? 0 : all;
  if (now.tiles == 2 && now.more == 0 && units_[d] == 1) return 0;
  if (contains(looped_, d) || most_units(d) != 1) return all;
  return only_at_end(d, longest_last_tile(now, c_.size[d]));
}

void OpenFlow::look_outside(const KeptFlows& costs, const Trail& trail, const Reach& reach) {
  std::fill_n(mover_.begin(), c_.dimension_count, Mover{});
  for (std::size_t k = 0; k < costs.classes().size(); ++k) {
    const DimensionMask of_class = costs.classes()[k];
    Outside& out = outside_[classes_++];
    out = {{1, 1}, {1, 1}, 1, 1};
    if ((of_class & flow_->indexing) != 0) {
      for (const int d : bits(of_class))
        if (trail.of(d).most_tiles() > 1) mover_[d] = {may_stay(trail, d), {}};
      continue;
    }
    for (const int d : bits(of_class)) {
      out.all.fetched *= open_.fetched[d].if_all(trail.of(d).tiles);
      out.all.shared *= open_.shared[d].if_all(trail.of(d).tiles);
    }
    if (flow_->by_network)
      for (const int d : bits(of_class)) {
        const u32 tiles = trail.of(d).tiles;
        const TrailCells& cells = open_.shared[d];
        if (const int idle = idle_number(d); idle >= 0) {
          const TrailCells& last = open_.last_context[idle];
          idle_[idle] = {static_cast<int>(k),
                         {cells.if_all(tiles) - last.if_all(tiles), last.if_all(tiles)},
                         {cells.if_first(tiles) - last.if_first(tiles), last.if_first(tiles)}};
        } else {
          out.all_act *= cells.if_all(tiles), out.first_act *= cells.if_first(tiles);
        }
      }
    out.first.fetched = least_cells(costs, trail, reach, 0, k, open_.fetched);
    out.first.shared = least_cells(costs, trail, reach, flow_->outer + 1, k, open_.shared);
    once_.fetched *= out.first.fetched, once_.shared *= out.first.shared;
  }
}

FlowTraffic OpenFlow::total(ClassSet inside, int mover) const {
  FlowTraffic out = closed_;
  if (!open()) return flow_->by_network ? with_hops(out, fewest_) : out;
  FlowTraffic times{1, 1};
  for (int k = 0; k < classes_; ++k) {
    const FlowTraffic& n = contains(inside, k) ? outside_[k].first : outside_[k].all;
    times.fetched *= n.fetched, times.shared *= n.shared;
  }
  times.shared = divided(times.shared, once_.shared);
  const u64 stays = mover_[mover].stays, asked = std::min(stays, open_.words.shared);
  if (stays == 0 && !moving_) {
    const FlowTraffic& come = mover_[mover].come;
    out.fetched += std::max({open_.words.fetched + again_.fetched, come.fetched, whole_once_.fetched}) * times.fetched;
    out.shared += std::max({open_.words.shared + again_.shared, come.shared, whole_once_.shared}) * times.shared;
  } else {  // some of `again_` may be what stays
    const auto in_place = [](u64 stays, u64 again, u64 whole, u64 moved) {
      return std::max(stays + again, whole - std::min(whole, moved));
    };
    const FlowTraffic moved{open_.words.fetched - stays, open_.words.shared - asked};
    out.fetched += moved.fetched * times.fetched +
                   in_place(stays, again_.fetched, whole_once_.fetched, moved.fetched) * once_.fetched;
    out.shared +=
        moved.shared * times.shared + in_place(asked, again_.shared, whole_once_.shared, moved.shared) * once_.shared;
  }
  if (!flow_->by_network) return out;
  SetTimes fewest = fewest_;
  if (hops_.has_excess()) {
    const SetTimes moved = carried(inside), left = carried(kAllClasses);
    for (std::size_t set = 0; set < fewest.size(); ++set) {
      if (open_.words.shared != asked) fewest[set] = std::min(fewest[set], moved[set]);
      if (asked != 0) fewest[set] = std::min(fewest[set], left[set]);
    }
  }
  return with_hops(out, fewest);
}

bool OpenFlow::moves_no_more(int a, int b) const {
  const Mover &one = mover_[a], &other = mover_[b];
  return one.stays >= other.stays && one.come.fetched <= other.come.fetched && one.come.shared <= other.come.shared;
}

FlowTraffic OpenFlow::least() const {
  FlowTraffic out = closed_;
  if (!open()) return flow_->by_network ? with_hops(out, fewest_) : out;
  out.fetched += std::max(open_.words.fetched + again_.fetched, whole_once_.fetched) * once_.fetched;
  out.shared += std::max(open_.words.shared + again_.shared, whole_once_.shared) * once_.shared;
  if (!flow_->by_network) return out;
  SetTimes fewest = fewest_;
  if (hops_.has_excess()) {
    const SetTimes left = carried(kAllClasses);
    for (std::size_t set = 0; set < fewest.size(); ++set) fewest[set] = std::min(fewest[set], left[set]);
  }
  return with_hops(out, fewest);
}

}  // namespace heliolite

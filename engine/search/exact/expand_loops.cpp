// Step 7 of expand.cpp: the orders of a level's loops, and rule push-in.
#include <algorithm>
#include <bit>
#include <optional>

#include "engine/base/integers.h"
#include "engine/search/exact/expand.h"
#include "engine/search/exact/partial_bounds.h"

namespace heliolite {

Expander::TileLoops Expander::loops_of(const PartialMapping& s, const LatticePoint& tile) const {
  TileLoops out;
  for (std::size_t a = 0; a < room_.size(); ++a) {
    const LatticeAxis& axis = m_.lattice.axes()[a];
    const u32 factor = tile.extent[axis.dimension] / s.tile.extent[axis.dimension];
    if (factor % axis.prime != 0) continue;
    out.all |= dimension_bit(axis.dimension);
    out.pushable |= room_[a];
  }
  return out;
}

// Step 7: the loops of the level, in every order that matters.
void Expander::place(const PartialMapping& s, const LatticePoint& tile, TileLoops tile_loops) {
  Loops loops;
  for (int d = 0; d < kMaxDimensions; ++d) {
    loops.factor[d] = tile.extent[d] / s.tile.extent[d];
    loops.left[d] = m_.compiled->size[d] / s.tile.extent[d];
    if (loops.factor[d] > 1) loops.waiting |= dimension_bit(d);
  }
  loops.pushable = NestSteps::peers_open(s) ? DimensionMask{0} : tile_loops.pushable;
  ++statistics_.tiles[level_];
  machines_tried_[s.machine] = true;
  for (int d = 0; d < m_.compiled->dimension_count; ++d)
    if (!space().temporal.factor[d].allows(loops.factor[d])) return;
  PartialMapping next = s;
  for (u8 d : space().temporal.order.dimensions()) {
    if (!contains(loops.waiting, d)) continue;
    if (loops.pushable != 0 && gate().prunes(Rule::PushIn, [&] { return contains(loops.pushable, d); })) return;
    add_loop(next, loops, d);
  }
  if (misses_peers(next) || prefix_exceeds_bound(next, loops, tile)) return;
  if (loops.waiting == 0) return finish(next, loops, tile);
  arrange(next, loops, tile);
}

void Expander::add_loop(PartialMapping& s, Loops& loops, int d) const {
  loops.left[d] /= loops.factor[d];
  steps_.loop(s, d, loops.factor[d], loops.left);
  loops.waiting &= static_cast<DimensionMask>(~(1u << d));
  loops.pushable = 0;
  loops.order |= static_cast<u64>(d + 1) << (4 * loops.depth++);
}

Expander::Ends Expander::ends_of(const PartialMapping& s, const Loops& loops) const {
  Ends out;
  const auto& tensor = m_.compiled->tensor;
  for (const int v : bits(s.in_place))
    for (const int d : bits(tensor[v].indexing & loops.waiting)) out.flows[d] |= 1u << v;
  for (int f = 0; f < s.sliding_count; ++f) {
    out.moving |= s.sliding[f].moving;
    const CompiledTensor& t = tensor[s.sliding[f].tensor];
    for (const int d : bits(t.indexing & loops.waiting)) out.flows[d] |= 1u << (kMaxTensors + f);
    if (t.entangled) out.slides |= t.indexing;
    for (int r = 0; r < t.rank_count; ++r) out.slides |= t.sharing[r];
  }
  return out;
}

// The loops that have to be tried next. Loops that move nothing in place come first, in one order; of loops that end
// the same flows only one is tried, for the others are then free.
unsigned Expander::next_loops(const PartialMapping& s, const Loops& loops) {
  const unsigned waiting = loops.waiting;
  const bool free_loops = gate().on(Rule::FreeLoops) && !NestSteps::peers_open(s);
  if (!free_loops && loops.pushable == 0) return waiting;
  const Ends ends = ends_of(s, loops);
  // While a flow is moving it is not known where even the loops that do not move it serve best.
  if (!free_loops || ends.moving) return not_pushed(waiting, ends, loops);
  unsigned next = 0;
  for (const int d : bits(waiting)) {
    if (ends.flows[d] == 0) return not_pushed(1u << d, ends, loops);
    bool another = false;
    for (const int tried : bits(contains(ends.slides, d) ? 0u : next & ~ends.slides))
      another |= ends.flows[tried] == ends.flows[d];
    if (!gate().prunes(Rule::FreeLoops, [&] { return another; })) next |= 1u << d;
  }
  return not_pushed(next, ends, loops);
}

// Those of `next` that stay when rule push-in drops the loops that are better off inside, and with them the loops for
// which a pushable one could stand: of all that end the same flows any may come first.
unsigned Expander::not_pushed(unsigned next, const Ends& ends, const Loops& loops) {
  if (loops.pushable == 0) return next;
  const unsigned alike = ends.moving ? 0u : ~ends.slides;
  unsigned out = 0;
  for (const int d : bits(next)) {
    const auto pushed = [&] {
      bool found = contains(loops.pushable, d);
      for (const int e : bits(contains(alike, d) ? loops.pushable & alike : 0u))
        found |= ends.flows[e] == ends.flows[d];
      return found;
    };
    if (!gate().prunes(Rule::PushIn, pushed)) out |= 1u << d;
  }
  return out;
}

void Expander::arrange(const PartialMapping& s, const Loops& loops, const LatticePoint& tile) {
  if (interrupted()) return;
  for (const int first : bits(next_loops(s, loops))) {
    PartialMapping with = s;
    Loops rest = loops;
    unsigned now = 1u << first;
    for (; now != 0 && std::has_single_bit(now); now = next_loops(with, rest))
      add_loop(with, rest, std::countr_zero(now));
    if (misses_peers(with) || prefix_exceeds_bound(with, rest, tile)) continue;
    if (rest.waiting == 0) finish(with, rest, tile);
    else arrange(with, rest, tile);
  }
}

// Step 6 again, for the tile and all orders that begin with the loops placed. Lists in after_ which servers its flows
// may still go to.
bool Expander::prefix_exceeds_bound(const PartialMapping& s, const Loops& loops, const LatticePoint& tile) {
  if (top() || loops.depth == 0) return false;
  const std::vector<u32>& before = after_.front();
  std::vector<u32>& after = after_[loops.depth];
  after = before;
  // With its last loop a partial mapping is whole, and is asked itself.
  if (loops.waiting == 0 && before.size() == 1) return false;
  return gate().prunes(Rule::OwnLoops, [&] {
    bounds_.ordered_energy(s, bounds_.inside(s, {level_, true}), tile, limit_, before, after);
    return after.empty();
  });
}

// Steps 1 and 2 of expand.cpp: the unrollings of the fan-out below the level.

void Expander::unroll(const PartialMapping& s) {
  if (level_ == 0) return unroll(s, nullptr, false);
  auto before = bounds_.inside(s, {level_ - 1, false});
  const bool bandwidths = bounds_.add_cycles(s, before);
  unroll(s, &before, bandwidths);
}

// `before`: what is known of the state, if anything.
void Expander::unroll(const PartialMapping& s, PartialBounds::Inside* before, bool bandwidths) {
  const u128 left = m_.lattice.full().packed - s.tile.packed;
  double instances = 0;
  PartialMapping next = s;
  std::optional<UnrollBound> begun;
  if (before != nullptr) begun.emplace(m_, bounds_.tables(), s, *before, level_);
  const auto& choices = m_.fanout[level_].choices;
  UnrolledAlike seen;
  for (u32 c = 0; c < choices.size() && !stopped_; ++c) {
    const SpatialChoice& spatial = choices[c];
    if (s.units * spatial.instances < least_units_) break;  // as do all that follow
    // Step 1.
    if (before != nullptr && spatial.instances != instances) {
      // Choices come with fewer and fewer instances: once that alone takes too long, all others do.
      instances = spatial.instances;
      if (cut(Rule::UsefulInstances, bounds_.at_instances(s, *before, instances))) break;
    }
    // Step 2.
    if (!m_.lattice.divides(spatial.factor.packed, left)) continue;
    const u64 tile = s.tile.index + spatial.factor.index;
    if (!bounds_.reachable(level_, s.servers, tile)) continue;
    if (before != nullptr) {
      before->compute_cycles =
          bounds_.compute_cycles(s.units * instances, level_, m_.lattice.full().index - tile, before->ramps);
      const double limit = incumbent_.energy_limit(before->compute_cycles);
      if (cut_energy(bounds_.guess_energy(*before, tile), limit)) continue;
      if (cut_energy(begun->energy(spatial) + bounds_.tables().below(level_, s.servers, 0, tile), limit)) continue;
      if (bandwidths && cut(Rule::LatticeBound, bounds_.at_guess(s, *before, tile))) continue;
    }
    next = s;
    steps_.unroll(next, level_, spatial);
    if (misses_peers(next) || seen_before(next, seen)) continue;
    choice_ = c;
    grow(next);
  }
}

// Whether an unrolling over the same tile, with the dimensions elsewhere on X and Y, was as good: its neighbours have
// as much for each other.
bool Expander::seen_before(const PartialMapping& s, UnrolledAlike& seen) {
  if (m_.compiled->peers == 0 || m_.fanout[level_].hops || s.peers.inexact) return false;
  std::vector<std::pair<int, const PeerSite*>> sites;
  for (int f = 0; f < s.sliding_count; ++f) sites.emplace_back(s.sliding[f].tensor, s.sliding[f].peers.site);
  return !seen.emplace(s.tile.index, s.in_place, std::move(sites)).second;
}

// Rule push-in (docs/rules/exact.md): where part of a level's innermost loop may move into the level inside.

namespace {

// Whether the level has room for the larger tile, whatever levels outside need that share it.
bool fits_grown(const FlowCosts& m, int level, TensorMask kept, const PlacedLevel& placed, const Extents& grown) {
  if (m.level[level].shares_outside) return m.used(level, kept, grown) == m.used(level, kept, placed.tile.extent);
  return m.has_room(level, kept, placed.room, grown);
}

}  // namespace

std::vector<DimensionMask> room_inside(const FlowCosts& m, u32 machine, int level, const PlacedLevel& inside) {
  std::vector<DimensionMask> out(m.lattice.axes().size(), 0);
  const TemporalSpace& inner = m.problem->space.levels[level - 1].temporal;
  const TemporalSpace& outer = m.problem->space.levels[level].temporal;
  const TensorMask kept = m.servers.kept(level - 1, inside.servers);
  const DimensionMask standalone = m.standalone(level - 1, inside.moving);
  DimensionMask loops = 0, outermost = 0;
  for (u64 order = inside.order; order != 0; order >>= 4)
    loops |= outermost = dimension_bit(static_cast<int>(order & 15) - 1);
  for (const u8 d : inner.order.dimensions()) loops |= dimension_bit(d);  // has its place already
  for (std::size_t a = 0; a < out.size(); ++a) {
    const LatticeAxis& axis = m.lattice.axes()[a];
    const int d = axis.dimension;
    if (!contains(inner.allowed & standalone, d) || outer.factor[d].min > 1) continue;
    if (contains(loops, d) && !contains(outermost, d)) continue;
    LatticePoint grown = inside.tile;
    grown.packed += axis.step;
    if (!m.lattice.divides(grown.packed, m.lattice.full().packed)) continue;
    grown.extent[d] *= axis.prime;
    if (!inner.factor[d].allows(grown.extent[d] / inside.unrolled.extent[d])) continue;
    if (fits_grown(m, level - 1, kept, inside, grown.extent) &&
        m.holds(machine, level - 1, inside.servers, grown.extent))
      out[a] = dimension_bit(d);
  }
  return out;
}

PlacedLevel placed_level(const FlowCosts& model, const Mapping& mapping, int level) {
  Extents unrolled, tile;
  unrolled.fill(1), tile.fill(1);
  PlacedLevel out;
  int depth = 0;
  for (const Loop& loop : mapping.loops()) {
    if (loop.level > level) break;
    tile[loop.dimension] *= loop.end;
    if (loop.level < level || loop.is_spatial()) unrolled[loop.dimension] *= loop.end;
    else out.order |= static_cast<u64>(loop.dimension + 1) << (4 * depth++);
  }
  out.unrolled = model.lattice.point(unrolled);
  out.tile = model.lattice.point(tile);
  out.servers = model.servers.find(level - 1, mapping.keep);
  for (int i = 0; i <= level; ++i) out.moving |= model.starting(i, mapping.keep[i]);
  return out;
}

std::optional<Mapping> moved_in(const Mapping& mapping, int level, const LatticeAxis& axis) {
  Mapping out = mapping.without_loops();
  const auto mine = [&](const Loop& loop, int its_level) {
    return loop.level == its_level && !loop.is_spatial() && loop.dimension == axis.dimension;
  };
  const auto has_the_factor = [&](const Loop& loop) { return mine(loop, level) && loop.end % axis.prime == 0; };
  if (std::ranges::none_of(mapping.loops(), has_the_factor)) return std::nullopt;
  u64 inside = axis.prime;
  for (const Loop& loop : mapping.loops())
    if (mine(loop, level - 1)) inside *= loop.end;
  bool placed = false;
  for (const Loop& loop : mapping.loops()) {
    if (loop.level >= level && !placed) {
      out.add(LoopKind::Temporal, level - 1, axis.dimension, inside);
      placed = true;
    }
    if (mine(loop, level - 1)) continue;
    out.add(loop.kind, loop.level, loop.dimension, mine(loop, level) ? loop.end / axis.prime : loop.end);
  }
  return out;
}

}  // namespace heliolite

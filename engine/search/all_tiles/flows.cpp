#include "engine/search/all_tiles/flows.h"

#include "engine/model/multicast.h"
#include "engine/model/true_counts/nest.h"
#include "engine/model/true_counts/tally.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {

namespace {

// Dimensions of the ranks that several index: a word may belong to several of their places.
DimensionMask sharing_ranks(const CompiledTensor& t) { return t.entangled ? t.indexing : t.sharing_any; }

// Dimensions that are ranks of their own in tensor v.
DimensionMask own_ranks(const Compiled& c, int v) {
  const CompiledTensor& t = c.tensor[v];
  if (t.entangled) return 0;
  return static_cast<DimensionMask>(t.indexing & standalone_dimensions(c, static_cast<TensorMask>(1u << v)));
}

// Whether steps along some dimension skip words.
bool skips_words(const CompiledTensor& t) {
  const auto terms = std::span(t.by_dimension).first(t.first_of[kMaxDimensions]);
  return std::ranges::any_of(terms, [](const CompiledTerm& term) { return term.coefficient != 1; });
}

// Accesses for at least `words` of tensor v, if instances come in sets of `alike` that are the same: each rounds up its
// blocks by itself.
Accesses<u64> accesses(const CompiledLevel& l, int v, const Accesses<u64>& words, u64 alike) {
  if (l.block_words == 1 || alike == 1) return in_accesses(l, v, words);
  const Accesses<u64> of_each{ceil_div(words.reads, alike), ceil_div(words.fills, alike),
                              ceil_div(words.updates, alike)};
  const Accesses<u64> out = in_accesses(l, v, of_each);
  return {out.reads * alike, out.fills * alike, out.updates * alike};
}

}  // namespace

bool hops_follow_order(const Compiled& c, int level) {
  const CompiledLevel& machine = c.level[level];
  if (machine.fanout() == 1 || (!machine.hops_cost && !machine.routers_cost)) return false;
  return inside_interconnects(c, level) != level && !carries_every_step(c, level);
}

Unrollable Unrollable::all() {
  Unrollable out;
  out.x.fill(kAllDimensions);
  out.y.fill(kAllDimensions);
  return out;
}

Unrollable Unrollable::of(const Mapspace& space) {
  Unrollable out;
  for (std::size_t i = 0; i < space.levels.size(); ++i) {
    out.x[i] = space.levels[i].spatial.allowed_x;
    out.y[i] = space.levels[i].spatial.allowed_y;
  }
  return out;
}

KeptFlows::KeptFlows(const Compiled& c, const KeepMasks& keep, const Unrollable& unrollable, Proxies proxies)
    : c_(c), keep_(keep), unrollable_(unrollable), classes_(tensor_classes(c)) {
  for (int i = 0; i < c.level_count; ++i) {
    const CompiledLevel& level = c.level[i];
    const auto add = [&](bool is_y, DimensionMask allowed, u64 units) {
      const auto of_workload = static_cast<DimensionMask>(allowed & ((1u << c.dimension_count) - 1));
      if (units != 1) axes_.push_back({static_cast<u8>(i), is_y, of_workload, units});
    };
    add(false, unrollable.x[i], level.fanout_x);
    add(true, unrollable.y[i], level.fanout_y);
    if (level.fanout() != 1) outermost_fanout_ = i;
  }
  for (int v = 0; v < c.tensor_count; ++v) {
    const CompiledTensor& t = c.tensor[v];
    int inner = -1;
    for (int i = 0; i < c.level_count; ++i) {
      const bool kept = contains(keep[i], v), carried = c.level[i].is_interconnect;
      const bool enters = !kept && !carried && c.level[i].units[v].ingress != 0;
      if (!kept && !carried && !enters) continue;
      flows_.push_back({static_cast<u8>(v), static_cast<u8>(inner + 1), static_cast<u8>(i), inner < 0, carried,
                        t.is_output, t.sliding || t.entangled, t.indexing, own_ranks(c, v), sharing_ranks(t),
                        touched_words(t, c)});
      flows_.back().enters = enters;
      if (kept) inner = i;
    }
    add_networks(v);
  }
  for (const Flow& f : flows_)
    if (!f.to_compute && !has_plain_ranks(c.tensor[f.tensor]))
      for (int i = f.boundary; i < c.level_count; ++i)
        not_plain_inside_[i] = static_cast<DimensionMask>(not_plain_inside_[i] | f.indexing);
  for (int i = 0; i < c.level_count; ++i)
    if (hops_follow_order(c, i)) std::fill(not_plain_inside_.begin() + i, not_plain_inside_.end(), kAllDimensions);
  std::ranges::stable_sort(flows_, {}, &Flow::boundary);
  if (proxies == Proxies::Yes)
    for (Flow& f : flows_) add_proxy(f);
}

// A network carries what the tiles below it ask for, whoever keeps the tensor.
void KeptFlows::add_networks(int v) {
  const CompiledTensor& t = c_.tensor[v];
  for (int i = 0; i < c_.level_count; ++i) {
    if (!has_network(c_.level[i]) || !carries_tiles(c_, i, v) || !all_words_cross(c_, i, v)) continue;
    flows_.push_back({static_cast<u8>(v), static_cast<u8>(i), static_cast<u8>(i), i == 0, false, t.is_output,
                      t.sliding || t.entangled, t.indexing, own_ranks(c_, v), sharing_ranks(t), touched_words(t, c_)});
    flows_.back().by_network = true;
  }
}

bool KeptFlows::fits(int level, const Extents& tile) const {
  const CompiledLevel& machine = c_.level[level];
  u64 used = 0;
  for (const int v : bits(keep_[level])) used += machine.taken(v, true_box_words(c_, c_.tensor[v], tile));
  return used <= machine.room;
}

// By the unrolling, units outside a level at most that ever work, in places that differ along these dimensions'
// classes.
u64 KeptFlows::working(int level, DimensionMask along) const {
  if (!has_unrolling()) return ~u64{0};
  u64 units = 1;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    if ((classes_[k] & along) == 0) continue;
    if (is_free(k)) return ~u64{0};
    units *= unrolling_->working[at(level) * classes_.size() + k];
  }
  return units;
}

// First words of an output whose instances stand at `positions` places along the dimensions that do not index it.
// Instances apart along a rank that slides hold some of the same words: each may hold all, and together no more than
// one for each MAC at a place. Where factors divide, rule 14 says what each holds; by that, too, unless strides leave
// holes.
u64 KeptFlows::first_words(int v, u64 positions, u64 instances) const {
  const CompiledTensor& t = c_.tensor[v];
  if (!t.sliding && !t.entangled) return t.words * positions;
  if (t.entangled || skips_words(t)) return t.words * instances;
  u64 macs = 1;
  for (const int d : bits(t.indexing)) macs *= c_.size[d];
  return std::min(t.words * instances, macs * positions);
}

UnitsInUse KeptFlows::units_in_use(const Trail& trail, const Reach& reach) const {
  UnitsInUse out;
  const int last = c_.level_count - 1;
  out.to_come = units_to_come(trail, reach, last, kAllDimensions);
  std::array<u64, kMaxTensors> places_to_come;  // of each output, along the dimensions that do not index it
  const auto not_indexing = [&](int v) { return static_cast<DimensionMask>(~c_.tensor[v].indexing); };
  for (int v = 0; v < c_.tensor_count; ++v)
    if (c_.tensor[v].is_output) places_to_come[v] = units_to_come(trail, reach, last, not_indexing(v));
  std::array<TrailCells, kMaxDimensions> cells;
  u64 beyond = 1;  // instances of the level that there are
  u64 alike = 1;   // units of loops outside the level that all have full tiles: they divide the dimension
  int l = trail.size();
  for (int i = c_.level_count - 1; i >= 0; --i) {
    // Fewer than the loops outside level i span. The counts of the loops of levels above i are taken anew at each
    // level: from the inside outwards.
    const bool inside = i < reach.level;
    cells.fill(kOneCell);
    if (inside) {
      for (int k = trail.first(i + 1); k < l; ++k)
        if (trail[k].is_spatial() && c_.size[trail[k].dimension] % trail.tile_of(k) == 0) alike *= trail[k].end;
      l = trail.first(i + 1);
      for (int k = l; k < trail.size(); ++k) {
        const TrailLoop& loop = trail[k];
        loop.is_spatial() ? cells[loop.dimension].all(loop) : cells[loop.dimension].first(loop);
      }
    }
    u64 least = 1, most = inside ? out.to_come : units_to_come(trail, {i, 1, 1}, last, kAllDimensions);
    for (int d = 0; d < c_.dimension_count; ++d) {
      const u64 now = cells[d].if_first(trail.of(d).tiles);
      least *= now, most *= now;
    }
    out.least[i] = least;
    out.alike[i] = alike;
    out.most[i] = std::min({most, beyond, working(i, kAllDimensions)});
    for (int v = 0; v < c_.tensor_count; ++v) {
      if (!c_.tensor[v].is_output) continue;
      const DimensionMask others = not_indexing(v);
      u64 n = inside ? places_to_come[v] : units_to_come(trail, {i, 1, 1}, last, others);
      for (int d = 0; d < c_.dimension_count; ++d)
        if (contains(others, d)) n *= cells[d].if_first(trail.of(d).tiles);
      out.positions[v][i] = std::min({n, beyond, working(i, others)});
      out.first_words[v][i] = first_words(v, out.positions[v][i], out.most[i]);
    }
    beyond *= c_.level[i].fanout();
  }
  return out;
}

Accesses<u64> KeptFlows::at_outer(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
  if (flow.by_network || flow.enters) return {};
  if (!flow.is_output) return {words.shared, 0, 0};
  return kept_words(c_.level[flow.outer], true, words.shared, 0, units.first_words[flow.tensor][flow.outer]);
}

Accesses<u64> KeptFlows::at_inner(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
  if (!flow.is_output) return {0, words.fetched, 0};
  return kept_words(c_.level[flow.inner()], true, 0, words.fetched, units.first_words[flow.tensor][flow.inner()]);
}

u128 KeptFlows::level_energy(int level, int v, const Accesses<u64>& words, const UnitsInUse& units) const {
  const CompiledLevel& l = c_.level[level];
  return units_of_all(l, v, words, accesses(l, v, words, units.alike[level]), c_.tensor[v].is_output, units.most[level])
      .sum();
}

u128 KeptFlows::energy(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
  return level_energy(flow.outer, flow.tensor, at_outer(flow, words, units), units) +
         energy_inside(flow, words, units) + ingress_energy(flow, words, units);
}

// Rule 40: below a level that does not reduce, words of outputs that are read again enter once more; where it passes
// them by, all are. Where factors divide, rule 14 may leave fewer words of an output that slides to enter than move.
u128 KeptFlows::ingress_energy(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
  const CompiledLevel& level = c_.level[flow.outer];
  const u64 ingress = level.units[flow.tensor].ingress;
  if (ingress == 0 || (!flow.enters && !all_words_cross(c_, flow.outer, flow.tensor))) return 0;
  const bool crosses_twice = flow.is_output && !level.reduces;
  const u64 read = flow.enters ? words.shared : at_outer(flow, words, units).reads;
  return rounded_network_energy(u128{words.shared + (crosses_twice ? read : 0)} * ingress);
}

u128 KeptFlows::energy_inside(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
  if (!flow.fills()) return 0;
  return level_energy(flow.inner(), flow.tensor, at_inner(flow, words, units), units);
}

}  // namespace heliolite

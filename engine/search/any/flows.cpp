#include "engine/search/any/flows.h"

#include <algorithm>

#include "engine/model/true_counts/tally.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {

KeptFlows::KeptFlows(const Compiled& c, const KeepMasks& keep) : c_(c), keep_(keep) {
  for (int v = 0; v < c.tensor_count; ++v) {
    const CompiledTensor& t = c.tensor[at(v)];
    int inner = -1;
    for (int i = 0; i < c.level_count; ++i) {
      if (!contains(keep[at(i)], v)) continue;
      flows_.push_back({static_cast<u8>(v), static_cast<u8>(inner + 1), static_cast<u8>(i), inner < 0, t.is_output,
                        t.sliding || t.entangled, t.indexing, touched_words(t, c)});
      inner = i;
    }
  }
  std::ranges::stable_sort(flows_, {}, &Flow::boundary);
}

u64 KeptFlows::room(const Reach& reach, int outer) const {
  if (outer < reach.level) return 1;
  u64 n = reach.room;
  for (int i = reach.level + 1; i <= outer; ++i) n *= c_.level[at(i)].fanout_x * c_.level[at(i)].fanout_y;
  return n;
}

UnitsInUse KeptFlows::units_in_use(const Trail& trail, const Reach& reach) const {
  UnitsInUse out;
  std::array<TrailCells, kMaxDimensions> cells;
  const u64 room = this->room(reach);
  u64 left = 1;  // tiles of all dimensions
  std::array<u64, kMaxTensors> left_beside{};
  for (int v = 0; v < c_.tensor_count; ++v) left_beside[at(v)] = 1;
  for (int d = 0; d < c_.dimension_count; ++d) {
    const u64 tiles = trail.of(d).tiles;
    left *= tiles;
    for (int v = 0; v < c_.tensor_count; ++v)
      if (!contains(c_.tensor[at(v)].indexing, d)) left_beside[at(v)] *= tiles;
  }
  u64 beyond = 1;  // instances of the level that there are
  int l = trail.size();
  for (int i = c_.level_count - 1; i >= 0; --i) {
    // Fewer than the loops outside level i span. The counts of the loops of levels above i are taken anew at each
    // level: from the inside outwards.
    cells.fill(kOneCell);
    if (i < reach.level) {
      l = trail.first(i + 1);
      for (int k = l; k < trail.size(); ++k) {
        const TrailLoop& loop = trail[k];
        loop.is_spatial() ? cells[loop.dimension].all(loop) : cells[loop.dimension].first(loop);
      }
    }
    const bool placed = i < reach.level;
    const u64 to_come = placed ? room : this->room(Reach{i, 1});
    u64 least = 1, most = std::min(left, to_come);
    for (int d = 0; d < c_.dimension_count; ++d) {
      const u64 now = cells[at(d)].if_first(trail.of(d).tiles);
      least *= now, most *= now;
    }
    out.least[at(i)] = least;
    out.most[at(i)] = std::min(most, beyond);
    for (int v = 0; v < c_.tensor_count; ++v) {
      if (!c_.tensor[at(v)].is_output) continue;
      u64 n = std::min(left_beside[at(v)], to_come);
      for (int d = 0; d < c_.dimension_count; ++d)
        if (!contains(c_.tensor[at(v)].indexing, d)) n *= cells[at(d)].if_first(trail.of(d).tiles);
      out.positions[at(v)][at(i)] = std::min(n, beyond);
    }
    beyond *= c_.level[at(i)].fanout_x * c_.level[at(i)].fanout_y;
  }
  return out;
}

Accesses<u64> KeptFlows::at_outer(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
  if (!flow.is_output) return {words.shared, 0, 0};
  const u64 first = c_.tensor[flow.tensor].words * units.positions[flow.tensor][flow.outer];
  return {words.shared - std::min(words.shared, first), 0, words.shared};
}

Accesses<u64> KeptFlows::at_inner(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
  if (!flow.is_output) return {0, words.fetched, 0};
  const u64 first = c_.tensor[flow.tensor].words * units.positions[flow.tensor][at(flow.inner())];
  return {0, words.fetched - std::min(words.fetched, first), 0};
}

u128 KeptFlows::level_energy(int level, const Accesses<u64>& words, bool is_output, const UnitsInUse& units) const {
  const CompiledLevel& l = c_.level[at(level)];
  u128 out = units_side_by_side(l, access_units(l, in_blocks(l, words)), units.most[at(level)]);
  if (l.address_units != 0)
    out += units_side_by_side(l, u128{generated_addresses(words, is_output)} * l.address_units, units.most[at(level)]);
  return out;
}

u128 KeptFlows::energy(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
  u128 out = level_energy(flow.outer, at_outer(flow, words, units), flow.is_output, units);
  if (!flow.to_compute) out += level_energy(flow.inner(), at_inner(flow, words, units), flow.is_output, units);
  return out;
}

}  // namespace heliolite

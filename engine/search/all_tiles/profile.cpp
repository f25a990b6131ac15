// The numbers that dominance compares (docs/rules/any_factors.md).
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/search/all_tiles/partial_cost.h"
#include "engine/search/all_tiles/working_units.h"

namespace heliolite {
namespace {

// Of a number that is the better the larger it is.
u64 turned_round(u64 number) { return ~number; }

void add_cells(const Compiled& c, const Flow& flow, const OtherCells& cells, bool any, Profile& out) {
  for (int d = 0; d < c.dimension_count; ++d) {
    if (contains(flow.indexing, d) || c.size[at(d)] == 1) continue;
    out.open.push_back(any ? cells[at(d)].full : 0);
    out.open.push_back(any ? cells[at(d)].last : 0);
  }
}

void add_asked(const Compiled& c, const OtherCells& cells, Profile& out) {
  for (int d = 0; d < c.dimension_count; ++d)
    if (c.size[at(d)] > 1) out.open.push_back(cells[at(d)].full), out.open.push_back(cells[at(d)].last);
}

// Which instances of the levels inside will work.
void add_units(const Compiled& c, const Trail& trail, int level, Profile& out) {
  for (int i = 0; i < level; ++i) {
    std::array<TrailCells, kMaxDimensions> cells;
    cells.fill(kOneCell);
    for (int l = trail.first(i + 1); l < trail.size(); ++l)
      trail[l].is_spatial() ? cells[trail[l].dimension].all(trail[l]) : cells[trail[l].dimension].first(trail[l]);
    for (int d = 0; d < c.dimension_count; ++d)
      if (c.size[at(d)] > 1) out.same.push_back(cells[at(d)].full), out.same.push_back(cells[at(d)].last);
  }
}

// The hops of the words; dimensions that idle must be the same. The last contexts of these, where some units take
// nothing, are counted by themselves.
void add_word_hops(const OpenFlow& f, bool settled, Profile& out) {
  const WordHops& hops = f.hops();
  u64 idle = 0;
  for (std::size_t k = 0; k < hops.idle_count; ++k) idle |= u64{1} << hops.idle[k];
  const double least = static_cast<double>(hops.least) / static_cast<double>(hops.scale);
  for (const u64 number : {idle, turned_round(idle), std::bit_cast<u64>(least)})
    out.open.push_back(settled ? 0 : number);
  for (std::size_t set = 0; set < WordHops::kSets; ++set) {
    out.open.push_back(settled ? 0 : hops.excess[set]);
    out.open.push_back(settled ? 0 : f.fewest_carried()[set]);
  }
  for (std::size_t k = 0; k < hops.idle.size(); ++k) {
    const bool any = !settled && k < hops.idle_count;
    const TrailCells last = any ? f.in_place().last_context[k] : TrailCells{0, 0};
    const TrailCells all = any ? f.in_place().shared[hops.idle[k]] : TrailCells{0, 0};
    for (const u64 number : {last.full, last.last, all.full - last.full, all.last - last.last})
      out.open.push_back(number);
  }
}

// The tiles of a tensor that slides: how many words cross tile by tile, which units have one alone, and which ask for
// the same.
void add_tiles(const Compiled& c, const OpenFlow& f, bool settled, Profile& out) {
  for (int d = 0; d < c.dimension_count; ++d) {
    if (!contains(f.flow().indexing, d) || c.size[at(d)] == 1) continue;
    for (const u64 number : {u64{f.tiles_at_boundary(d)}, f.tile_at_boundary(d)})
      out.same.push_back(f.open() ? number : 0);
  }
  out.open.push_back(settled ? 0 : f.whole_once().fetched), out.open.push_back(settled ? 0 : f.whole_once().shared);
}

}  // namespace

// The same numbers in the same order for all partial mappings of a reach.
void PartialCost::add_flow(const OpenFlow& f, bool settled, const UnitsInUse& units, Profile& out) const {
  out.open.push_back(settled ? 0 : f.closed().fetched);
  out.open.push_back(settled ? 0 : f.closed().shared);
  out.open.push_back(f.in_place().words.fetched);
  out.open.push_back(f.in_place().words.shared);
  if (f.flow().sliding) {
    out.open.push_back(settled ? 0 : f.again().fetched), out.open.push_back(settled ? 0 : f.again().shared);
    add_tiles(c_, f, settled, out);
  }
  add_cells(c_, f.flow(), f.in_place().fetched, f.open(), out);
  add_cells(c_, f.flow(), f.in_place().shared, f.open(), out);
  if (f.flow().by_network) add_word_hops(f, settled, out);
  if (!f.flow().is_output || f.flow().by_network) return;
  // Places whose first words are not read.
  const auto& positions = units.positions[f.flow().tensor];
  out.open.push_back(settled ? 0 : turned_round(positions[f.flow().outer]));
  out.open.push_back(settled || !f.flow().fills() ? 0 : turned_round(positions[at(f.flow().inner())]));
}

// What the steps will be, if they `matter` to roundings.
void PartialCost::add_steps(const Trail& trail, bool matter, Profile& out) const {
  u64 others = 1;
  for (int d = 0; d < c_.dimension_count; ++d) {
    if (c_.size[at(d)] == 1) continue;
    const bool each = matter && steps_are_open(trail, d);
    out.same.push_back(each ? trail.of(d).full : 0);
    out.same.push_back(each ? trail.of(d).last : 0);
    if (!each) others *= trail.of(d).steps();
  }
  out.same.push_back(matter ? others : 0);
}

void PartialCost::describe(const Trail& trail, const Reach& reach, Profile& out) const {
  const UnitsInUse& units = in_use_;
  const bool placed = costs_.unrolled(reach);  // all fan-outs
  const bool spread_later = costs_.networks_to_come(reach);
  DimensionMask meeting = 0;  // how far units to come are apart along these says how many ask for the same word
  for (const Flow& f : costs_.flows()) meeting = static_cast<DimensionMask>(meeting | f.meeting);
  out.clear();
  std::array<Accesses<u64>, kMaxLevels> known{};
  std::array<bool, kMaxLevels> going_on{};  // words of the level are not all known
  for (int i = reach.level - 1; i < c_.level_count; ++i) going_on[at(std::max(i, 0))] = true;
  for (const OpenFlow* flow : flows_) {
    const OpenFlow& f = *flow;
    const bool settled = placed && !f.open();
    add_flow(f, settled, units, out);
    if (!placed)
      for (int k = 0; k < OpenFlow::kParts; ++k) {
        const auto parts = f.shared_later();
        const bool any = at(k) < parts.size();
        const FlowPart& part = any ? parts[at(k)] : f.in_place();
        out.open.push_back(any ? part.words.shared : 0);
        add_cells(c_, f.flow(), part.shared, any, out);
      }
    if (settled) {
      out.energy += energy(f, f.least(), units);
      known[f.flow().outer] += costs_.parts_at_outer(f.flow(), f.closed(), units);
      if (f.flow().fills()) known[at(f.flow().inner())] += costs_.parts_at_inner(f.flow(), f.closed(), units);
      continue;
    }
    if (f.flow().by_network || f.flow().enters) continue;
    going_on[f.flow().outer] = true;
    if (f.flow().fills()) going_on[at(f.flow().inner())] = true;
  }
  for (int d = 0; d < c_.dimension_count; ++d) {
    if (c_.size[at(d)] == 1) continue;
    const bool must_be_same = spread_later || (!placed && contains(meeting, d));
    (must_be_same ? out.same : out.open).push_back(trail.of(d).tile);
    if (!placed) out.open.push_back(trail.of(d).full), out.open.push_back(trail.of(d).last);
  }
  bool rounds = false;
  if (rounded_.may_round_up()) add_steps(trail, steps(trail, units.to_come) <= rounded_.exact(), out);
  for (int i = 0; i < c_.level_count; ++i)
    if (costs_.rounds_by_instance(i)) out.same.push_back(going_on[at(i)] ? units.alike[at(i)] : 0), rounds = true;
  if (!placed) {
    for (int d = 0; d < c_.dimension_count && rounds; ++d)  // units to come may be alike
      out.open.push_back(c_.size[at(d)] % trail.of(d).tile == 0);
    for (const Flow* f : busy_) add_asked(c_, asked_of_first_instance(*f, trail), out);
    return add_units(c_, trail, reach.level, out);
  }
  double cycles = cycles_of_first(trail, reach);
  for (int i = 0; i < c_.level_count; ++i) {
    const CompiledLevel& level = c_.level[at(i)];
    const u64 instances = units_inside_[at(c_.level_count) - 1] / units_inside_[at(i)];
    const bool more = going_on[at(i)];
    if (level.limited) {
      out.open.push_back(more ? known[at(i)].reads : 0);
      out.open.push_back(more ? known[at(i)].fills + known[at(i)].updates : 0);
      if (!more) cycles = std::max(cycles, cycles_of(i, known[at(i)], static_cast<double>(units.most[at(i)])));
    }
    // The more instances, the less each has to bear, and the cheaper are clusters; but each leaks as long as the
    // machine runs.
    const bool matters = more && (level.limited || level.clusters < instances);
    out.open.push_back(matters ? turned_round(units.most[at(i)]) : 0);
    out.open.push_back(leaks(level) ? units.least[at(i)] : 0);
  }
  out.cycles = std::max(least_cycles(trail, units.to_come), saturated(std::ceil(cycles)));
}

}  // namespace heliolite

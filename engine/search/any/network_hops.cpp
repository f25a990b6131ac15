#include "engine/search/any/network_hops.h"

#include <algorithm>
#include <vector>

#include "engine/model/multicast.h"

namespace heliolite {
namespace {

// All that hops depend on: the grid, and of each loop its end and what it does to the words.
struct FanoutLoops {
  static constexpr int kMost = 8;  // of more nothing is said
  u64 columns = 1, rows = 1;
  std::array<u32, kMost> end{};
  std::array<bool, kMost> spreads{};  // its units take different words
  int count = 0;
  bool all_act = true;  // no unit ever idles
  bool even = true;     // and all take as many words

  bool operator==(const FanoutLoops&) const = default;
  std::size_t hash() const {
    u64 h = columns * 31 + rows * 17 + all_act * 2 + even;
    for (int k = 0; k < count; ++k) h = (h ^ end[at(k)] * 2 ^ u64{spreads[at(k)]}) * 0x9e37'79b9'7f4a'7c15;
    return static_cast<std::size_t>(h >> 52);
  }
};

FanoutLoops fanout_loops(const Compiled& c, const Flow& flow, const Trail& trail) {
  const int i = flow.outer;
  FanoutLoops out;
  std::array<u64, kMaxDimensions> tile;
  for (int d = 0; d < c.dimension_count; ++d) tile[at(d)] = trail.at_begin(i)[at(d)].tile;
  u64 x = 1, y = 1;
  for (int l = trail.first(i); l < trail.size() && trail[l].level == i && trail[l].is_spatial(); ++l) {
    const TrailLoop& loop = trail[l];
    const bool spreads = contains(flow.indexing, loop.dimension);
    if (out.count < FanoutLoops::kMost) {
      out.end[at(out.count)] = loop.end;
      out.spreads[at(out.count)] = spreads;
    }
    ++out.count;
    (loop.kind == LoopKind::SpatialX ? x : y) *= loop.end;
    out.all_act &= loop.last == loop.end;
    if (spreads)
      out.even &= !contains(flow.meeting, loop.dimension) && c.size[loop.dimension] % tile[loop.dimension] == 0;
    tile[loop.dimension] *= loop.end;
  }
  out.columns = std::max(c.level[at(i)].fanout_x, x);
  out.rows = std::max(c.level[at(i)].fanout_y, y);
  out.even &= out.all_act;
  return out;
}

// The mean where all groups take as many words, else the nearest group, or the nearest unit.
WordHops hops_of(const FanoutLoops& loops) {
  std::vector<FanoutReceiver> units(1);
  std::vector<u64> number(1);
  u64 weight = 1, groups = 1;
  for (int k = 0; k < loops.count; ++k) {
    const std::size_t inside = units.size();
    for (u32 u = 1; u < loops.end[at(k)]; ++u)
      for (std::size_t j = 0; j < inside; ++j) {
        units.push_back({units[j].offset + (loops.spreads[at(k)] ? u * groups : 0), 0, 0});
        number.push_back(number[j] + u * weight);
      }
    weight *= loops.end[at(k)];
    if (loops.spreads[at(k)]) groups *= loops.end[at(k)];
  }
  for (std::size_t j = 0; j < units.size(); ++j) {
    units[j].column = static_cast<u32>(number[j] % loops.columns);
    units[j].row = static_cast<u32>(number[j] / loops.columns);
    if (!loops.all_act) units[j].offset = j;
  }
  std::ranges::sort(units);
  u64 sum = 0, least = ~u64{0};
  for (std::size_t begin = 0, end = 0; begin < units.size(); begin = end) {
    while (end < units.size() && units[end].offset == units[begin].offset) ++end;
    const u64 one = half_hops(std::span(units).subspan(begin, end - begin), loops.rows);
    sum += one;
    least = std::min(least, one);
  }
  return loops.even ? WordHops{sum, groups} : WordHops{least, 1};
}

}  // namespace

WordHops word_hops(const Compiled& c, const Flow& flow, const Trail& trail) {
  struct Known {
    FanoutLoops loops;
    WordHops hops;
  };
  thread_local std::vector<Known> cache(4096);
  const FanoutLoops loops = fanout_loops(c, flow, trail);
  if (loops.count == 0 || loops.count > FanoutLoops::kMost) return {};
  Known& known = cache[loops.hash()];
  if (!(known.loops == loops)) known = {loops, hops_of(loops)};
  return known.hops;
}

// The cost model may round down to whole units for each sender, and takes products of doubles.
u128 hop_energy(const CompiledLevel& level, int tensor, const WordHops& hops, u64 words) {
  constexpr int kExact = 52;  // bits
  const u128 energy = u128{words} * hops.half_hops / hops.words * (level.units[at(tensor)].hop / 2);
  return energy >> kExact == 0 ? energy : energy - (energy >> (kExact - 2)) - 1;
}

}  // namespace heliolite

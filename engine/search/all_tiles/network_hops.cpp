#include "engine/search/all_tiles/network_hops.h"

#include <algorithm>

#include "engine/model/multicast.h"
#include "engine/search/all_tiles/open_flow.h"

namespace heliolite {
namespace {

// All that the hops of single words depend on: the grid, its loops, and of each dimension how many units act in the
// last context.
struct FanoutLoops {
  static constexpr std::size_t kMost = 8;  // loops; of more nothing is said
  u64 columns = 1, rows = 1;
  std::array<u32, kMost> end{};
  std::array<u8, kMost> side{};  // of each loop
  std::size_t count = 0;
  // The loops of one dimension.
  struct Side {
    u32 units = 1, last = 1;  // in all contexts but the last one, and in that
    bool spreads = false;     // its units take different words
    bool operator==(const Side&) const = default;
  };
  std::array<Side, kMost> sides{};
  std::array<u8, kMost> dimension{};  // of each side; not compared
  std::size_t side_count = 0;
  bool all_act = true;  // no unit ever idles
  bool even = true;     // and all take as many words

  bool operator==(const FanoutLoops& o) const {
    return columns == o.columns && rows == o.rows && end == o.end && side == o.side && sides == o.sides &&
           count == o.count && side_count == o.side_count && all_act == o.all_act && even == o.even;
  }
  std::size_t hash() const {
    u64 h = columns * 31 + rows * 17 + all_act * 2 + even;
    const auto add = [&](u64 number) { h = (h ^ number) * 0x9e37'79b9'7f4a'7c15; };
    for (std::size_t k = 0; k < count; ++k) add(u64{end[k]} << 8 | side[k]);
    for (std::size_t s = 0; s < side_count; ++s) add(u64{sides[s].last} << 1 | u64{sides[s].spreads});
    return static_cast<std::size_t>(h >> 52);
  }
};

FanoutLoops fanout_loops(const Compiled& c, const Flow& flow, const Trail& trail) {
  const int i = flow.outer;
  FanoutLoops out;
  std::array<u64, kMaxDimensions> tile;
  for (int d = 0; d < c.dimension_count; ++d) tile[d] = trail.at_begin(i)[d].tile;
  u64 x = 1, y = 1;
  for (int l = trail.first(i); l < trail.size() && trail[l].level == i && trail[l].is_spatial(); ++l) {
    const TrailLoop& loop = trail[l];
    if (out.count++ >= FanoutLoops::kMost) continue;
    const bool spreads = contains(flow.indexing, loop.dimension);
    std::size_t s = 0;
    while (s < out.side_count && out.dimension[s] != loop.dimension) ++s;
    if (s == out.side_count) out.dimension[out.side_count++] = loop.dimension;
    out.end[out.count - 1] = loop.end;
    out.side[out.count - 1] = static_cast<u8>(s);
    out.sides[s].units *= loop.end;
    out.sides[s].spreads = spreads;
    (loop.kind == LoopKind::SpatialX ? x : y) *= loop.end;
    out.all_act &= loop.last == loop.end;
    if (spreads)
      out.even &= !contains(flow.multicast, loop.dimension) && c.size[loop.dimension] % tile[loop.dimension] == 0;
    tile[loop.dimension] *= loop.end;
  }
  for (std::size_t s = 0; s < out.side_count; ++s) {
    const u32 tiles = trail.at_begin(i)[out.dimension[s]].tiles, units = out.sides[s].units;
    out.sides[s].last = tiles - (ceil_div(tiles, units) - 1) * units;
  }
  out.columns = std::max(c.level[i].fanout_x, x);
  out.rows = std::max(c.level[i].fanout_y, y);
  out.even &= out.all_act;
  return out;
}

// Which units, of those that different words go to, a word of some kind may go to: any of them, or in the last context
// those before the last one that acts, or that one.
enum Reached : u8 { kAny, kBefore, kLast, kReached };

// Half hops of one word to each group of units, added up.
struct GroupHops {
  std::vector<u64> sum;  // [what is reached along each side that spreads, kReached each, times sets of idle sides]
  u64 least = ~u64{0};   // to one group
  u64 groups = 1;
};

bool idles(const FanoutLoops::Side& side) { return !side.spreads && side.last != side.units; }

std::size_t idle_sides(const FanoutLoops& loops) {
  return static_cast<std::size_t>(
      std::ranges::count_if(loops.sides.begin(), loops.sides.begin() + loops.side_count, idles));
}

// Where nothing more is known than the loops: each unit by itself is what a word may go to, if some idle.
GroupHops hops_of(const FanoutLoops& loops, bool apart) {
  struct Unit {
    u64 group = 0, number = 0;
    std::array<u32, FanoutLoops::kMost> place{};  // along each side
  };
  std::vector<Unit> units(1);
  u64 weight = 1;
  std::array<u32, FanoutLoops::kMost> inside;
  inside.fill(1);
  GroupHops out;
  for (std::size_t k = 0; k < loops.count; ++k) {
    const std::size_t before = units.size(), s = loops.side[k];
    const bool spreads = loops.sides[s].spreads;
    for (u32 u = 1; u < loops.end[k]; ++u)
      for (std::size_t j = 0; j < before; ++j) {
        Unit next = units[j];
        next.number += u * weight;
        next.place[s] += u * inside[s];
        if (spreads) next.group += u * out.groups;
        units.push_back(next);
      }
    weight *= loops.end[k], inside[s] *= loops.end[k];
    if (spreads) out.groups *= loops.end[k];
  }
  const auto receiver = [&](const Unit& u) {
    return FanoutReceiver{u.group, static_cast<u32>(u.number % loops.columns),
                          static_cast<u32>(u.number / loops.columns)};
  };
  if (apart) {
    for (const Unit& u : units) {
      const FanoutReceiver one = receiver(u);
      out.least = std::min(out.least, half_hops(std::span(&one, 1), loops.rows));
    }
    return out;
  }
  const std::size_t sets = std::size_t{1} << idle_sides(loops);
  std::size_t kinds = 1;
  for (std::size_t s = 0; s < loops.side_count; ++s) kinds *= loops.sides[s].spreads ? kReached : 1;
  out.sum.assign(kinds * sets, 0);
  std::ranges::sort(units, {}, &Unit::group);
  std::vector<FanoutReceiver> group;
  for (std::size_t begin = 0, end = 0; begin < units.size(); begin = end) {
    while (end < units.size() && units[end].group == units[begin].group) ++end;
    for (std::size_t set = 0; set < sets; ++set) {
      group.clear();
      for (std::size_t j = begin; j < end; ++j) {
        bool acts = true;
        for (std::size_t s = 0, idle = 0; s < loops.side_count; ++s)
          if (idles(loops.sides[s]) && contains(set, idle++)) acts &= units[j].place[s] < loops.sides[s].last;
        if (acts) group.push_back(receiver(units[j]));
      }
      std::ranges::sort(group);
      const u64 one = half_hops(group, loops.rows);
      out.least = std::min(out.least, one);
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        bool reached = true;
        for (std::size_t s = 0, rest = kind; s < loops.side_count; ++s) {
          const FanoutLoops::Side& side = loops.sides[s];
          if (!side.spreads) continue;
          const u32 place = units[begin].place[s];
          if (rest % kReached == kBefore) reached &= place + 1 < side.last;
          if (rest % kReached == kLast) reached &= place + 1 == side.last;
          rest /= kReached;
        }
        if (reached) out.sum[kind * sets + set] += one;
      }
    }
  }
  return out;
}

const GroupHops& known_hops(const FanoutLoops& loops, bool apart) {
  struct Known {
    FanoutLoops loops;
    bool apart = false;
    GroupHops hops;
  };
  thread_local std::vector<Known> cache(4096);
  Known& known = cache[loops.hash()];
  if (!(known.loops == loops) || known.apart != apart) known = {loops, apart, hops_of(loops, apart)};
  return known.hops;
}

constexpr int kExactBits = 52;
u128 most_rounded(u128 energy) { return energy >> kExactBits == 0 ? 0 : (energy >> (kExactBits - 2)) + 1; }

}  // namespace

// A dimension that spreads has C' contexts of E units: C' - 1 times a full tile goes to each unit; in the last context
// one to each before the last unit that acts, and what is left to that.
WordHops word_hops(const Compiled& c, const Flow& flow, const Trail& trail) {
  const FanoutLoops loops = fanout_loops(c, flow, trail);
  WordHops out;
  if (loops.count == 0 || loops.count > FanoutLoops::kMost) return out;
  const std::size_t idle = idle_sides(loops);
  const CompiledTensor& t = c.tensor[flow.tensor];
  if (!loops.even && (idle > WordHops::kMostIdle || flow.multicast != 0 || !has_plain_ranks(t))) {
    out.least = known_hops(loops, true).least;
    return out;
  }
  const GroupHops& groups = known_hops(loops, false);
  if (loops.even) {
    out.least = groups.sum[0];
    out.scale = groups.groups;
    return out;
  }
  out.least = groups.least;
  const std::size_t sets = std::size_t{1} << idle;
  u64 others = t.words;                                               // of each word of the dimensions that spread
  std::array<std::array<u64, kReached>, FanoutLoops::kMost> words{};  // [side]: along the dimension
  for (std::size_t s = 0; s < loops.side_count; ++s) {
    const FanoutLoops::Side& side = loops.sides[s];
    const u8 d = loops.dimension[s];
    if (idles(side)) out.idle[out.idle_count++] = d;
    if (!side.spreads) continue;
    const TrailDimension& begin = trail.at_begin(flow.outer)[d];
    const u64 full = std::min<u64>(begin.tile, c.size[d]);
    words[s] = {(ceil_div(begin.tiles, side.units) - 1) * full, full, c.size[d] - (begin.tiles - 1) * full};
    others /= c.size[d];
  }
  for (std::size_t set = 0; set < sets; ++set) {
    u64 sum = 0;
    for (std::size_t kind = 0; kind * sets < groups.sum.size(); ++kind) {
      u64 times = others;
      for (std::size_t s = 0, rest = kind; s < loops.side_count; ++s)
        if (loops.sides[s].spreads) times *= words[s][rest % kReached], rest /= kReached;
      sum += times * groups.sum[kind * sets + set];
    }
    out.excess[set] = sum - t.words * out.least;
  }
  return out;
}

u128 rounded_network_energy(u128 energy) { return energy - most_rounded(energy); }

bool is_exact(const Cost& least, const Cost& cost) {
  constexpr u128 kMostFlows = 64;  // that may be rounded by one
  if (least.cycles != cost.cycles || least.energy.units > cost.energy.units) return least == cost;
  const u128 rounded = most_rounded(cost.energy.units);
  return cost.energy.units - least.energy.units <= (rounded == 0 ? 0 : rounded + kMostFlows);
}

u128 hop_energy(const CompiledLevel& level, int tensor, const WordHops& hops, u64 half_hops) {
  return rounded_network_energy(u128{half_hops} / hops.scale * (level.units[tensor].hop / 2));
}

// What an open flow by a network keeps of its hops.

// The number of a dimension that idles in the network; -1: it does not.
int OpenFlow::idle_number(int d) const {
  for (int k = 0; k < hops_.idle_count; ++k)
    if (hops_.idle[k] == d) return k;
  return -1;
}

void OpenFlow::count_carried(const FlowPart& part, const Trail& trail) {
  u64 others = 1;
  for (int d = 0; d < c_.dimension_count; ++d)
    if (!contains(flow_->indexing, d) && idle_number(d) < 0) others *= part.shared[d].if_all(trail.of(d).tiles);
  for (std::size_t set = 0; set < std::size_t{1} << hops_.idle_count; ++set) {
    u64 times = others;
    for (std::size_t k = 0; k < hops_.idle_count; ++k) {
      const u32 tiles = trail.of(hops_.idle[k]).tiles;
      const u64 last = part.last_context[k].if_all(tiles);
      times *= contains(set, k) ? last : part.shared[hops_.idle[k]].if_all(tiles) - last;
    }
    fewest_[set] = std::min(fewest_[set], times);
  }
}

// How often words in place are carried, if of the dimensions of classes `inside` only the first sub-tiles count.
SetTimes OpenFlow::carried(ClassSet inside) const {
  SetTimes out{};
  u64 others = 1;
  for (int k = 0; k < classes_; ++k) others *= contains(inside, k) ? outside_[k].first_act : outside_[k].all_act;
  for (std::size_t set = 0; set < std::size_t{1} << hops_.idle_count; ++set) {
    out[set] = others;
    for (std::size_t k = 0; k < hops_.idle_count; ++k)
      out[set] *= (contains(inside, idle_[k].of_class) ? idle_[k].first : idle_[k].all)[contains(set, k)];
  }
  return out;
}

// Every word is carried so often at least, and what it is carried more often at least as far as the nearest unit.
FlowTraffic OpenFlow::with_hops(FlowTraffic words, const SetTimes& times) const {
  words.half_hops = words.shared * hops_.least;
  for (std::size_t set = 0; set < std::size_t{1} << hops_.idle_count; ++set)
    words.half_hops += hops_.excess[set] * times[set];
  return words;
}

}  // namespace heliolite

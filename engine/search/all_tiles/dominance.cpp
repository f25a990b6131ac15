#include "engine/search/all_tiles/dominance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/all_tiles/partial_cost.h"

namespace heliolite {
namespace {

// Makes a number that is the better the larger it is one that is the better the smaller it is.
u64 turned_round(u64 number) { return ~number; }

void add_cells(const Compiled& c, const Flow& flow, const OtherCells& cells, bool any, Profile& out) {
  for (int d = 0; d < c.dimension_count; ++d) {
    if (contains(flow.indexing, d) || c.size[d] == 1) continue;
    out.open.push_back(any ? cells[d].full : 0);
    out.open.push_back(any ? cells[d].last : 0);
  }
}

void add_asked(const Compiled& c, const OtherCells& cells, Profile& out) {
  for (int d = 0; d < c.dimension_count; ++d)
    if (c.size[d] > 1) out.open.push_back(cells[d].full), out.open.push_back(cells[d].last);
}

// Which instances of the levels inside will work.
void add_units(const Compiled& c, const Trail& trail, int level, Profile& out) {
  for (int i = 0; i < level; ++i) {
    std::array<TrailCells, kMaxDimensions> cells;
    cells.fill(kOneCell);
    for (int l = trail.first(i + 1); l < trail.size(); ++l)
      trail[l].is_spatial() ? cells[trail[l].dimension].all(trail[l]) : cells[trail[l].dimension].first(trail[l]);
    for (int d = 0; d < c.dimension_count; ++d)
      if (c.size[d] > 1) out.same.push_back(cells[d].full), out.same.push_back(cells[d].last);
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
    if (!contains(f.flow().indexing, d) || c.size[d] == 1) continue;
    for (const u64 number : {u64{f.tiles_at_boundary(d)}, f.tile_at_boundary(d)})
      out.same.push_back(f.open() ? number : 0);
  }
  out.open.push_back(settled ? 0 : f.whole_once().fetched), out.open.push_back(settled ? 0 : f.whole_once().shared);
}

}  // namespace

// The numbers are the same, and in the same order, for all partial mappings of a reach.
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
  out.open.push_back(settled || !f.flow().fills() ? 0 : turned_round(positions[f.flow().inner()]));
  if (!f.flow().sliding) return;
  out.open.push_back(settled ? 0 : turned_round(units.most[f.flow().outer]));
  out.open.push_back(settled || !f.flow().fills() ? 0 : turned_round(units.most[f.flow().inner()]));
}

// What the steps will be, if they `matter` to roundings.
void PartialCost::add_steps(const Trail& trail, bool matter, Profile& out) const {
  u64 others = 1;
  for (int d = 0; d < c_.dimension_count; ++d) {
    if (c_.size[d] == 1) continue;
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
  DimensionMask multicast = 0;  // how far units to come are apart along these says how many ask for the same word
  for (const Flow& f : costs_.flows()) multicast = static_cast<DimensionMask>(multicast | f.multicast);
  out.clear();
  std::array<Accesses<u64>, kMaxLevels> known{};
  std::array<bool, kMaxLevels> going_on{};  // words of the level are not all known
  for (int i = reach.level - 1; i < c_.level_count; ++i) going_on[std::max(i, 0)] = true;
  for (const OpenFlow* flow : flows_) {
    const OpenFlow& f = *flow;
    const bool settled = placed && !f.open();
    add_flow(f, settled, units, out);
    if (!placed)
      for (int k = 0; k < OpenFlow::kParts; ++k) {
        const auto parts = f.shared_later();
        const bool any = at(k) < parts.size();
        const FlowPart& part = any ? parts[k] : f.in_place();
        out.open.push_back(any ? part.words.shared : 0);
        add_cells(c_, f.flow(), part.shared, any, out);
      }
    if (settled) {
      out.energy += energy(f, f.least(), units);
      known[f.flow().outer] += costs_.parts_at_outer(f.flow(), f.closed(), units);
      if (f.flow().fills()) known[f.flow().inner()] += costs_.parts_at_inner(f.flow(), f.closed(), units);
      continue;
    }
    if (f.flow().by_network || f.flow().enters) continue;
    going_on[f.flow().outer] = true;
    if (f.flow().fills()) going_on[f.flow().inner()] = true;
  }
  for (int d = 0; d < c_.dimension_count; ++d) {
    if (c_.size[d] == 1) continue;
    const bool must_be_same = spread_later || (!placed && contains(multicast, d));
    (must_be_same ? out.same : out.open).push_back(trail.of(d).tile);
    if (!placed) out.open.push_back(trail.of(d).full), out.open.push_back(trail.of(d).last);
  }
  bool rounds = false;
  if (rounded_.may_round_up()) add_steps(trail, steps(trail, units.to_come) <= rounded_.exact(), out);
  for (int i = 0; i < c_.level_count; ++i)
    if (costs_.rounds_by_instance(i)) out.same.push_back(going_on[i] ? units.alike[i] : 0), rounds = true;
  if (!placed) {
    for (int d = 0; d < c_.dimension_count && rounds; ++d)  // units to come may be alike
      out.open.push_back(c_.size[d] % trail.of(d).tile == 0);
    for (const Flow* f : busy_) add_asked(c_, asked_of_first_instance(*f, trail), out);
    return add_units(c_, trail, reach.level, out);
  }
  double cycles = cycles_of_first(trail, reach);
  for (int i = 0; i < c_.level_count; ++i) {
    const CompiledLevel& level = c_.level[i];
    const u64 instances = units_inside_[c_.level_count - 1] / units_inside_[i];
    const bool more = going_on[i];
    if (level.limited) {
      out.open.push_back(more ? known[i].reads : 0);
      out.open.push_back(more ? known[i].fills + known[i].updates : 0);
      if (!more) cycles = std::max(cycles, cycles_of(i, known[i], static_cast<double>(units.most[i])));
    }
    // The more instances, the less each has to bear, and the cheaper are clusters; but each leaks as long as the
    // machine runs.
    const bool matters = more && (level.limited || level.clusters < instances);
    out.open.push_back(matters ? turned_round(units.most[i]) : 0);
    out.open.push_back(leaks(level) ? units.least[i] : 0);
  }
  out.cycles = std::max(least_cycles(trail, units.to_come), saturated(std::ceil(cycles)));
}

namespace {

constexpr std::size_t kFirstSlots = 1 << 10;
constexpr u32 kFirstEntries = 2;
constexpr std::size_t kBitsOfAWord = 64;

u64 hash_of(std::span<const u64> key) {
  u64 h = 0x9e37'79b9'7f4a'7c15;
  for (const u64 k : key) {
    h = (h ^ k) * 0xbf58'476d'1ce4'e5b9;
    h ^= h >> 29;
  }
  return h;
}

std::size_t words_of_bits(std::size_t n) { return ceil_div(n, kBitsOfAWord); }

// Whether no packed number of a is larger than that of b.
bool nowhere_larger(const u64* a, const u64* b, std::size_t width) {
  const std::size_t words = words_of_bits(width);
  for (std::size_t w = 0; w < words; ++w)
    if ((a[w] & ~b[w]) != 0) return false;
  const u64 *of_a = a + words, *of_b = b + words;
  for (std::size_t w = 0; w < words; ++w)
    for (const int k : bits(b[w])) {
      const u64 of_b_here = *of_b++;
      if (contains(a[w], k) && *of_a++ > of_b_here) return false;
    }
  return true;
}

}  // namespace

template <class T>
T* DominanceStore::allocate(std::size_t n) {
  bytes_ += n * sizeof(T);
  return static_cast<T*>(memory_.allocate(n * sizeof(T), alignof(T)));
}

void DominanceStore::more_slots() {
  slot_.assign(std::max(kFirstSlots, 2 * slot_.size()), kNone);
  for (u32 k = 0; k < buckets_.size(); ++k) {
    std::size_t s = buckets_[k].hash & (slot_.size() - 1);
    while (slot_[s] != kNone) s = (s + 1) & (slot_.size() - 1);
    slot_[s] = k;
  }
}

DominanceStore::Bucket& DominanceStore::bucket(std::span<const u64> key, std::size_t width) {
  if (2 * buckets_.size() >= slot_.size()) more_slots();
  const u64 hash = hash_of(key);
  std::size_t s = hash & (slot_.size() - 1);
  for (; slot_[s] != kNone; s = (s + 1) & (slot_.size() - 1)) {
    Bucket& b = buckets_[slot_[s]];
    if (b.hash == hash && b.width == width && std::ranges::equal(std::span(b.key, b.key_size), key)) return b;
  }
  slot_[s] = static_cast<u32>(buckets_.size());
  u64* copy = allocate<u64>(key.size());
  std::ranges::copy(key, copy);
  Bucket b;
  b.hash = hash, b.key = copy, b.key_size = static_cast<u32>(key.size()), b.width = static_cast<u32>(width);
  buckets_.push_back(b);
  return buckets_[slot_[s]];
}

void DominanceStore::pack(std::span<const u64> open) {
  packed_.assign(words_of_bits(open.size()), 0);
  for (std::size_t k = 0; k < open.size(); ++k) {
    if (open[k] == 0) continue;
    packed_[k / kBitsOfAWord] |= u64{1} << k % kBitsOfAWord;
    packed_.push_back(open[k]);
  }
}

void DominanceStore::add(Bucket& b, Entry entry) {
  u64* row = allocate<u64>(packed_.size());
  std::ranges::copy(packed_, row);
  entry.row = row;
  if (b.size == b.capacity) {
    const u32 capacity = std::max(kFirstEntries, 2 * b.capacity);
    Entry* more = allocate<Entry>(capacity);
    std::uninitialized_copy_n(b.entry, b.size, more);
    b.entry = more, b.capacity = capacity;
  }
  std::construct_at(b.entry + b.size++, entry);
}

// The last one takes the place of each that goes.
void DominanceStore::forget_worse(Bucket& b, const Entry& than) {
  for (u32 k = 0; k < b.size;) {
    const Entry& e = b.entry[k];
    if (e.energy < than.energy || e.sum < than.sum || e.cycles < than.cycles ||
        !nowhere_larger(than.row, e.row, b.width))
      ++k;
    else b.entry[k] = b.entry[--b.size];
  }
}

bool DominanceStore::leave_out(u32 number) { return left_out_.insert(number).second; }

u32 DominanceStore::dominator(std::span<const u64> key, const Profile& profile, u32 number) {
  Bucket& b = bucket(key, profile.open.size());
  pack(profile.open);
  Entry mine{profile.energy, 0, profile.cycles, packed_.data(), number};
  for (const u64 n : profile.open) mine.sum += n;
  for (u32 k = 0; k < b.size; ++k) {
    const Entry& e = b.entry[k];
    if (e.energy > mine.energy || e.sum > mine.sum || e.cycles > mine.cycles) continue;
    if (!nowhere_larger(e.row, mine.row, b.width)) continue;
    if (!left_out_.empty() && left_out_.contains(e.number)) continue;
    const u32 out = e.number;
    if (k > 0) std::swap(b.entry[k], b.entry[k / 2]);  // what dominates once is likely to do so again
    return out;
  }
  forget_worse(b, mine);
  add(b, mine);
  return kNone;
}

}  // namespace heliolite

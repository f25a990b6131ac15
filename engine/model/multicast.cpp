#include "engine/model/multicast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/model/temporal_traffic.h"

namespace heliolite {
namespace {

// Receiver groups without a list of all receivers: where the loops along X and those along Y move the tensor
// independently, a group is some columns' receivers times some rows'.

// The indices along the loops of one axis, in classes of those that agree in all that moves the tensor.
class AxisClasses {
 public:
  void read(const CompiledTensor& t, const Nest& nest, LoopMask loops) {
    place_.assign(1, {0, 0});
    std::array<u64, kMaxRanks> weight;  // weight of one step in the rank, so that different moves have different sums
    weight.fill(0);
    u64 span = 1;
    for (int r = 0; r < t.rank_count; ++r) {
      weight[r] = span;
      u64 reach = 0;
      for (const int l : bits(loops)) reach += move_of(t, nest, l, r) * (nest.loop[l].end - 1);
      span *= reach + 1;
    }
    for (const int l : bits(loops)) {
      u64 move = 0;
      for (int r = 0; r < t.rank_count; ++r) move += weight[r] * move_of(t, nest, l, r);
      const std::size_t inside = place_.size();
      for (u64 k = 1; k < nest.loop[l].end; ++k)
        for (std::size_t j = 0; j < inside; ++j)
          place_.push_back({place_[j].first + k * move, static_cast<u32>(place_.size())});
    }
    std::sort(place_.begin(), place_.end());
    begin_.clear();
    for (std::size_t j = 0; j < place_.size(); ++j)
      if (j == 0 || place_[j].first != place_[j - 1].first) begin_.push_back(j);
    begin_.push_back(place_.size());
  }

  std::size_t count() const { return begin_.size() - 1; }
  // (move, index) of the members of class k, by ascending index.
  std::span<const std::pair<u64, u32>> members(std::size_t k) const {
    return std::span(place_).subspan(begin_[k], begin_[k + 1] - begin_[k]);
  }

 private:
  static u64 move_of(const CompiledTensor& t, const Nest& nest, int loop, int rank) {
    const NestLoop& l = nest.loop[loop];
    u64 out = 0;
    for (int k = t.first_of[l.dimension]; k < t.first_of[l.dimension + 1]; ++k)
      if (t.by_dimension[k].rank == rank) out += u64{t.by_dimension[k].coefficient} * l.step;
    return out;
  }

  std::vector<std::pair<u64, u32>> place_;
  std::vector<std::size_t> begin_;
};

// Twice the hops up and down a column whose receivers stand in rows `low` to `high`.
u64 column_hops(i64 low, i64 high, i64 centre) {
  return static_cast<u64>(std::max<i64>(0, centre - 2 * low) + std::max<i64>(0, 2 * high - centre));
}

// Adds groups of one size to the sizes known.
void add(std::vector<ReceiverGroups>& out, const ReceiverGroups& more) {
  const auto at =
      std::find_if(out.begin(), out.end(), [&](const ReceiverGroups& g) { return g.multicast == more.multicast; });
  if (at == out.end()) {
    out.push_back(more);
  } else {
    at->groups += more.groups;
    at->half_hops += more.half_hops;
  }
}

// Classes of equal size of one axis: how many, and the sum of their hops along it.
struct SizeClass {
  u64 size = 0, count = 0, hops = 0;
};

template <class Hops>
std::vector<SizeClass> sizes(const AxisClasses& classes, Hops&& hops) {
  std::vector<SizeClass> out;
  for (std::size_t k = 0; k < classes.count(); ++k) {
    const auto members = classes.members(k);
    auto at = std::find_if(out.begin(), out.end(), [&](const SizeClass& s) { return s.size == members.size(); });
    if (at == out.end()) at = out.insert(out.end(), {members.size(), 0, 0});
    ++at->count;
    at->hops += hops(members);
  }
  return out;
}

// The receiver (x, y) stands in column x and row y: hops add up by axis.
void add_aligned(const AxisClasses& x, const AxisClasses& y, i64 centre, std::vector<ReceiverGroups>& out) {
  const auto rows =
      sizes(y, [&](auto members) { return column_hops(members.front().second, members.back().second, centre); });
  for (const SizeClass& c : sizes(x, [](auto members) { return 2 * u64{members.back().second}; }))
    for (const SizeClass& r : rows)
      add(out, {c.size * r.size, c.count * r.count, c.hops * r.count + r.hops * c.count * c.size});
}

// Where the receivers stand when they are laid out one row after the other, whatever the loops' ends; and, while the
// members of a group are looked at, the first and last row in each column.
class WrappedGrid {
 public:
  void resize(u64 receivers, u64 columns) {
    place_.clear();
    Place at;
    for (u64 id = 0; id < receivers; ++id) {
      place_.push_back(at);
      if (++at.column == columns) at = {0, at.row + 1};
    }
    rows_.assign(columns, {});
  }

  // By ascending id.
  void add_member(u64 id) {
    Rows& rows = rows_[place_[id].column];
    rows.high = place_[id].row;
    if (rows.low == kNone) rows.low = rows.high;
    last_ = std::max(last_, place_[id].column);
  }
  // Twice the hops to the members added, which it forgets.
  u64 take_hops(i64 centre) {
    u64 out = 2 * u64{last_};
    for (u32 k = 0; k <= last_; ++k)
      if (rows_[k].low != kNone) {
        out += column_hops(rows_[k].low, rows_[k].high, centre);
        rows_[k].low = kNone;
      }
    last_ = 0;
    return out;
  }

 private:
  static constexpr u32 kNone = ~u32{0};
  struct Place {
    u32 column = 0, row = 0;
  };
  struct Rows {
    u32 low = kNone, high = 0;
  };
  std::vector<Place> place_;  // [receiver]
  std::vector<Rows> rows_;    // [column]
  u32 last_ = 0;              // the last column with a member
};

void add_wrapped(const AxisClasses& x, const AxisClasses& y, u64 product_x, u64 product_y, u64 columns, i64 centre,
                 std::vector<ReceiverGroups>& out) {
  thread_local WrappedGrid grid;
  grid.resize(product_x * product_y, columns);
  for (std::size_t a = 0; a < x.count(); ++a)
    for (std::size_t b = 0; b < y.count(); ++b) {
      const auto along_x = x.members(a), along_y = y.members(b);
      for (const auto& [move_y, iy] : along_y)
        for (const auto& [move_x, ix] : along_x) grid.add_member(ix + product_x * iy);
      add(out, {along_x.size() * along_y.size(), 1, grid.take_hops(centre)});
    }
}

// Whether some rank is moved by loops of both masks, and not by one dimension only.
bool entwined(const CompiledTensor& t, const Nest& nest, LoopMask x, LoopMask y) {
  if (!t.sliding) return false;
  DimensionMask along_x = 0, along_y = 0;
  for (const int l : bits(x)) along_x |= dimension_bit(nest.loop[l].dimension);
  for (const int l : bits(y)) along_y |= dimension_bit(nest.loop[l].dimension);
  for (int r = 0; r < t.rank_count; ++r) {
    const DimensionMask mine_x = along_x & t.sharing[r], mine_y = along_y & t.sharing[r];
    if (mine_x != 0 && mine_y != 0 && std::popcount(static_cast<DimensionMask>(mine_x | mine_y)) > 1) return true;
  }
  return false;
}

// What receiver_groups() writes, in time proportional to the receivers at most, mostly to the sum of the axes. False,
// with `out` as it was: a rank is moved along both axes by different dimensions, so that the axes do not separate.
// The tensor must not be entangled.
bool groups_by_axes(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine,
                    std::vector<ReceiverGroups>& out) {
  const u64 product_x = nest.product_x[level], product_y = nest.product_y[level];
  LoopMask along_x = 0, along_y = 0;
  u64 left = product_x;
  for (const int l : bits(nest.fanout[level])) {  // those along X come first
    (left > 1 ? along_x : along_y) |= LoopMask{1} << l;
    if (left > 1) left /= nest.loop[l].end;
  }
  if (entwined(t, nest, along_x, along_y)) return false;
  thread_local AxisClasses x, y;
  x.read(t, nest, along_x);
  y.read(t, nest, along_y);
  const u64 columns = std::max(machine.fanout_x, product_x);
  const auto centre = static_cast<i64>(std::max(machine.fanout_y, product_y)) - 1;  // in half rows
  out.clear();
  if (product_x == columns || product_y == 1) add_aligned(x, y, centre, out);
  else add_wrapped(x, y, product_x, product_y, columns, centre, out);
  std::sort(out.begin(), out.end(),
            [](const ReceiverGroups& a, const ReceiverGroups& b) { return a.multicast < b.multicast; });
  return true;
}

// And with one.

// Offsets of every receiver, X-fastest.
void list_receivers(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine,
                    std::vector<FanoutReceiver>& out) {
  std::array<u64, kMaxRanks> span;  // largest offset + 1, per rank
  span.fill(1);
  std::array<detail::TileMove, kMaxLoops> step;
  std::array<u64, kMaxLoops> ends;
  int count = 0;
  for (LoopMask rest = nest.fanout[level]; rest != 0; rest &= rest - 1, ++count) {
    const NestLoop& loop = nest.loop[std::countr_zero(rest)];
    step[count].add(t, loop);
    ends[count] = loop.end;
    for (int r = 0; r < t.rank_count; ++r) span[r] += static_cast<u64>(step[count].by[r]) * (loop.end - 1);
  }
  const u64 columns = std::max(machine.fanout_x, nest.product_x[level]);
  const u64 receivers = nest.product_x[level] * nest.product_y[level];
  out.clear();
  for (u64 id = 0; id < receivers; ++id) {
    std::array<u64, kMaxRanks> at{};
    u64 rest = id;
    for (int j = 0; j < count; ++j) {
      const u64 index = rest % ends[j];
      rest /= ends[j];
      for (int r = 0; r < t.rank_count; ++r) at[r] += static_cast<u64>(step[j].by[r]) * index;
    }
    u64 offset = 0;
    for (int r = 0; r < t.rank_count; ++r) offset = offset * span[r] + at[r];
    out.push_back({offset, static_cast<u32>(id % columns), static_cast<u32>(id / columns)});
  }
}

// Groups by enumeration of all receivers.
void enumerate_groups(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine,
                      std::vector<ReceiverGroups>& out) {
  thread_local std::vector<FanoutReceiver> receivers;  // reused: this is called in searches
  list_receivers(t, nest, level, machine, receivers);
  group_receivers(receivers, std::max(machine.fanout_y, nest.product_y[level]), out);
}

// The ranks in which two dimensions of these loops meet: receivers can share words without agreeing in both.
std::array<bool, kMaxRanks> ranks_moved_together(const CompiledTensor& t, const Nest& nest, LoopMask moving) {
  std::array<bool, kMaxRanks> out{};
  if (!t.sliding) return out;
  DimensionMask seen = 0;
  for (const int l : bits(moving)) seen |= dimension_bit(nest.loop[l].dimension);
  for (int r = 0; r < t.rank_count; ++r) {
    const DimensionMask both = seen & t.sharing[r];
    out[r] = (both & (both - 1)) != 0;
  }
  return out;
}

// All that the groups of a fan-out depend on when each dimension moves one rank: the grid, and of each loop its end,
// whether it moves the tensor, and by how much if another dimension moves the same rank. Otherwise steps and
// coefficients do not matter.
struct FanoutShape {
  static constexpr int kMost = 10;  // loops; longer ones are not remembered
  static constexpr u64 kAlone = 1, kMeets = 2;
  u64 fanout_x = 0, fanout_y = 0, product_x = 0;
  std::array<u64, kMost> loop{};  // 16 * end, + kAlone or kMeets + rank if it moves the tensor
  std::array<u64, kMost> step{};  // steps of those loops that meet
  bool operator==(const FanoutShape&) const = default;

  FanoutShape() = default;
  FanoutShape(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine)
      : fanout_x(machine.fanout_x), fanout_y(machine.fanout_y), product_x(nest.product_x[level]) {
    const LoopMask moving = nest.moving(t) & nest.fanout[level];
    const std::array<bool, kMaxRanks> together = ranks_moved_together(t, nest, moving);
    std::size_t count = 0;
    for (LoopMask rest = nest.fanout[level]; rest != 0; rest &= rest - 1, ++count) {
      const int j = std::countr_zero(rest);
      const NestLoop& l = nest.loop[j];
      loop[count] = u64{16} * l.end;
      if (!contains(moving, j)) continue;
      const CompiledTerm& term = t.by_dimension[t.first_of[l.dimension]];
      loop[count] += together[term.rank] ? kMeets + term.rank : kAlone;
      if (together[term.rank]) step[count] = u64{term.coefficient} * l.step;
    }
  }

  std::size_t hash() const {
    u64 h = fanout_x * 31 + fanout_y * 17 + product_x;
    for (std::size_t k = 0; k < kMost && loop[k] != 0; ++k) h = (h ^ loop[k] ^ step[k] << 20) * 0x9e37'79b9'7f4a'7c15;
    return static_cast<std::size_t>(h >> 48);
  }
};
static_assert(FanoutShape::kMeets + kMaxRanks <= 16);

// The groups of recent shapes, per thread: searches ask for the same few again and again. A pure function is
// remembered, so that no answer depends on what was asked before.
class ShapeCache {
 public:
  template <class Compute>
  const std::vector<ReceiverGroups>& of(const FanoutShape& shape, Compute&& compute) {
    Entry& e = entry_[shape.hash() % entry_.size()];
    if (!(e.shape == shape)) {
      compute(e.groups);
      e.shape = shape;
    }
    return e.groups;
  }

 private:
  struct Entry {
    FanoutShape shape;
    std::vector<ReceiverGroups> groups;
  };
  std::vector<Entry> entry_ = std::vector<Entry>(4096);
};

}  // namespace

u64 half_hops(std::span<const FanoutReceiver> group, u64 rows) {
  const auto centre = static_cast<i64>(rows) - 1;  // in half rows
  u64 sum = 2 * static_cast<u64>(group.back().column);
  for (std::size_t k = 0; k < group.size();) {
    const u32 column = group[k].column;
    const i64 lowest = group[k].row;
    while (k + 1 < group.size() && group[k + 1].column == column) ++k;
    const i64 highest = group[k].row;
    sum += static_cast<u64>(std::max<i64>(0, centre - 2 * lowest) + std::max<i64>(0, 2 * highest - centre));
    ++k;
  }
  return sum;
}

void group_receivers(std::vector<FanoutReceiver>& receivers, u64 rows, std::vector<ReceiverGroups>& out) {
  std::sort(receivers.begin(), receivers.end());
  for (std::size_t begin = 0, end = 0; begin < receivers.size(); begin = end) {
    while (end < receivers.size() && receivers[end].offset == receivers[begin].offset) ++end;
    const u64 multicast = end - begin;
    auto at = std::find_if(out.begin(), out.end(), [&](const ReceiverGroups& g) { return g.multicast == multicast; });
    if (at == out.end()) at = out.insert(out.end(), {multicast, 0, 0});
    ++at->groups;
    at->half_hops += half_hops(std::span(receivers).subspan(begin, multicast), rows);
  }
  std::sort(out.begin(), out.end(),
            [](const ReceiverGroups& a, const ReceiverGroups& b) { return a.multicast < b.multicast; });
}

void receiver_groups(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine,
                     std::vector<ReceiverGroups>& out) {
  out.clear();
  if (!nest.has_spatial(level)) {
    out.push_back({1, 1, 0});
    return;
  }
  if (std::popcount(nest.fanout[level]) > FanoutShape::kMost || t.entangled)
    return enumerate_groups(t, nest, level, machine, out);
  thread_local ShapeCache cache;
  out = cache.of(FanoutShape(t, nest, level, machine), [&](std::vector<ReceiverGroups>& groups) {
    groups.clear();
    if (!groups_by_axes(t, nest, level, machine, groups)) enumerate_groups(t, nest, level, machine, groups);
  });
}

u64 distinct_offsets(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine) {
  if (!nest.has_spatial(level)) return 1;
  if (const u64 n = distinct_offsets_closed(t, nest, level)) return n;
  thread_local std::vector<ReceiverGroups> groups;
  receiver_groups(t, nest, level, machine, groups);
  u64 n = 0;
  for (const ReceiverGroups& g : groups) n += g.groups;
  return n;
}

void NetworkSum::add(const NetworkRecord& record, bool is_output) {
  ingress_words += record.words;
  if (record.words > 0) {
    const double routers = 1 + std::floor(record.hop_words / record.words);
    router_words = static_cast<u64>(static_cast<double>(router_words) + routers * record.words);
    hop_words += record.hop_words;
  }
  if (is_output)
    spatial_reductions = static_cast<i64>(static_cast<double>(spatial_reductions) +
                                          static_cast<double>(record.multicast - 1) * record.words);
}

Energy peer_energy(const CompiledLevel& machine, int v, double words, u64 senders) {
  return Energy{price_of_peers(machine.units[v], words)} * senders;
}

// Hop words and ingresses can be fractional (bypass scaling of imperfect factors).
Energy network_energy(const CompiledLevel& machine, int v, const NetworkSum& sum, u64 senders) {
  const u128 sent = price_of_sending(machine.units[v], sum.ingress_words, sum.hop_words, sum.router_words);
  return Energy{sent + price_of_peers(machine.units[v], sum.peer_words)} * senders;
}

}  // namespace heliolite

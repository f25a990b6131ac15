#pragma once
// Tiles: what of a dimension is inside some point of a mapping is a divisor of its size. And what tensors hold of them.
#include <map>
#include <set>

#include "check_proof/instance.h"
namespace check_proof {
// [dimension]: the place of an extent among the divisors of the size, in ascending order; 0: the extent is 1. Factors
// are written in the same way.
using Tile = std::array<u8, kDimensions>;
inline constexpr u8 kNone = static_cast<u8>(-1);

// Different values of a sum of coefficient * index, index < count. The largest must be below 2^22.
inline u64 distinct_sums(const std::vector<std::pair<u64, u64>>& terms) {
  u64 largest = 0, alone = 1;
  std::size_t moving = 0;
  for (const auto& [coefficient, count] : terms) {
    largest += coefficient * (count - 1);
    if (count > 1) alone = count, ++moving;
  }
  if (moving < 2) return alone;
  std::vector<bool> met(largest + 1, false);
  met[0] = true;
  for (const auto& [coefficient, count] : terms)
    for (u64 have = 1; have < count;) {  // as many indices are in
      const u64 more = std::min(have, count - have), shift = more * coefficient;
      for (u64 k = largest + 1; k-- > shift;)
        if (met[k - shift]) met[k] = true;
      have += more;
    }
  return static_cast<u64>(std::ranges::count(met, true));
}
struct Tiles {
  const Instance& in;
  u32 tiles = 1;
  std::vector<std::vector<u64>> divisors;  // [dimension]
  std::vector<std::vector<u8>> primes;     // [dimension]: places of those that are prime
  std::array<u32, kDimensions> stride{};   // [dimension]: numbers from a tile to the next along it
  explicit Tiles(const Instance& instance) : in(instance) {
    u64 count = 1;
    for (int d = 0; d < dimensions(); ++d) {
      stride[d] = static_cast<u32>(count);
      add_divisors(in.size[d]);
      count *= divisors[d].size();
      if (count > 16'000'000 || divisors[d].size() > 127) throw Wrong{0, "more than 16 million tiles", true};
    }
    tiles = static_cast<u32>(count);
    for (int v = 0; v < tensors(); ++v)
      for (std::size_t r = 0; r < in.tensors[v].ranks.size(); ++r) {
        if (in.tensors[v].ranks[r].size() == 1) continue;
        u64 entries = 1;
        for (const int d : in.tensors[v].ranks[r]) entries = entries * divisors[d].size() * divisors[d].size();
        if (box(v, static_cast<int>(r), tile(tiles - 1)) > u64{1} << 22 || entries > 4'000'000)
          throw Wrong{0, "a rank that slides has more than 2^22 positions", true};
        coverage_[v][r].resize(entries);
      }
  }
  int dimensions() const { return static_cast<int>(in.size.size()); }
  int tensors() const { return static_cast<int>(in.tensors.size()); }
  int levels() const { return static_cast<int>(in.levels.size()); }
  u64 extent(const Tile& t, int d) const { return divisors[d][t[d]]; }
  u64 left(const Tile& t, int d) const { return divisors[d][divisors[d].size() - 1 - t[d]]; }  // iterations outside
  u64 left(const Tile& t, Mask of) const {
    u64 out = 1;
    for (int d = 0; d < dimensions(); ++d)
      if (contains(of, d)) out *= left(t, d);
    return out;
  }
  u8 place(int d, u64 divisor) const { return static_cast<u8>(place_of(divisor, divisors[d])); }  // kNone: it is none
  u8 times(int d, u8 a, u8 b) const { return times_[d][a * divisors[d].size() + b]; }
  // false: the product does not divide the sizes.
  bool multiply(Tile& t, const Tile& by) const {
    for (int d = 0; d < dimensions(); ++d)
      if ((t[d] = times(d, t[d], by[d])) == kNone) return false;
    return true;
  }
  // A multiple of a tile has a larger number.
  u32 number(const Tile& t) const {
    u32 out = 0;
    for (int d = 0; d < dimensions(); ++d) out += t[d] * stride[d];
    return out;
  }
  Tile tile(u32 number) const {
    Tile out{};
    for (int d = dimensions(); d-- > 0; number %= stride[d]) out[d] = static_cast<u8>(number / stride[d]);
    return out;
  }
  u64 box(int v, int r, const Tile& t) const {  // extent in a rank
    u64 out = 1;
    for (const int d : in.tensors[v].ranks[r]) out += in.tensors[v].coefficient[d] * (extent(t, d) - 1);
    return out;
  }
  u64 words(int v, const Tile& t) const {
    u64 out = 1;
    for (std::size_t r = 0; r < in.tensors[v].ranks.size(); ++r) out *= box(v, static_cast<int>(r), t);
    return out;
  }
  u128 parts(int i, Mask kept, const Tile& t) const {  // of level i, that tiles of these tensors take
    u128 out = 0;
    for (int v = 0; v < tensors(); ++v)
      if (contains(kept, v)) out += static_cast<u128>(words(v, t)) * in.levels[i].of[v][kParts];
    return out;
  }
  // Different positions along a rank that a tile meets in all iterations outside a larger one, in which it is.
  u64 coverage(int v, int r, const Tile& t, const Tile& outer) const {
    const std::vector<int>& rank = in.tensors[v].ranks[r];
    if (rank.size() == 1) return extent(t, rank[0]) * left(outer, rank[0]);
    u64 index = 0;
    for (const int d : rank) index = (index * divisors[d].size() + t[d]) * divisors[d].size() + outer[d];
    u64& known = coverage_[v][r][index];
    if (known != 0) return known;
    std::vector<std::pair<u64, u64>> terms;
    for (const int d : rank) {
      const u64 c = in.tensors[v].coefficient[d];
      terms.emplace_back(c, extent(t, d));
      terms.emplace_back(c * extent(outer, d), left(outer, d));
    }
    return known = distinct_sums(terms);
  }

 private:
  void add_divisors(u64 size) {
    std::set<u64> found;
    for (u64 k = 1; k * k <= size; ++k)
      if (size % k == 0) found.insert({k, size / k});
    const std::vector<u64>& of = divisors.emplace_back(found.begin(), found.end());
    std::vector<u8>&times = times_.emplace_back(), &prime = primes.emplace_back();
    for (const u64 a : of)
      for (const u64 b : of)
        times.push_back(size / a % b == 0 ? place(static_cast<int>(divisors.size()) - 1, a * b) : kNone);
    for (std::size_t k = 1; k < of.size(); ++k)
      if (std::ranges::none_of(prime, [&](u8 p) { return of[k] % of[p] == 0; })) prime.push_back(static_cast<u8>(k));
  }
  std::vector<std::vector<u8>> times_;
  mutable std::array<std::array<std::vector<u64>, kRanks>, kTensors> coverage_;  // 0: not known yet
};

// Factors on the two axes of a fan-out; where hops have no price only those of both together count.
struct Unrolling {
  u64 receivers = 1;
  Tile both{}, x{}, y{};
  u64 summed = 1;  // receivers that work on the same words of the output
  auto operator<=>(const Unrolling&) const = default;
};

// The unrollings of the fan-out below a level, most receivers first; one without factors where there is none.
inline std::vector<Unrolling> unrollings_of(const Tiles& tiles, const Level& level) {
  std::set<Unrolling, std::greater<>> found;
  u64 visited = 0;
  const auto walk = [&](const auto& self, int d, const Unrolling& u, u64 room_x, u64 room_y) -> void {
    if (++visited > 50'000'000) throw Wrong{0, "more than 50 million choices at the unrollings of a level", true};
    if (d == tiles.dimensions()) {
      found.insert(level.has_hops ? u : Unrolling{u.receivers, u.both, {}, {}, u.summed});
      return;
    }
    const std::vector<u64>& of = tiles.divisors[d];
    const bool on_x = std::ranges::count(level.x, d) != 0, on_y = std::ranges::count(level.y, d) != 0;
    for (u8 a = 0; a < of.size() && of[a] <= room_x && (a == 0 || on_x); ++a)
      for (u8 b = 0; b < of.size() && of[b] <= room_y && (b == 0 || (on_y && !(level.one_axis && a > 0))); ++b) {
        const u8 both = tiles.times(d, a, b);
        if (both == kNone || !level.unroll[d].allows(of[both])) continue;
        Unrolling next = u;
        next.receivers *= of[both], next.both[d] = both, next.x[d] = a, next.y[d] = b;
        if (!contains(tiles.in.tensors[tiles.in.output].indexing, d)) next.summed *= of[both];
        self(self, d + 1, next, room_x / of[a], room_y / of[b]);
      }
  };
  walk(walk, 0, Unrolling{}, level.fanout_x, level.fanout_y);
  return {found.begin(), found.end()};
}

// Receivers of a tensor that want different words (rule 10); `tile`: of one receiver.
inline u64 receiver_groups(const Tensor& t, const Tiles& tiles, const Unrolling& u, const Tile& tile) {
  u64 out = 1;
  for (const auto& rank : t.ranks) {
    std::vector<std::pair<u64, u64>> terms;
    for (const int d : rank) terms.emplace_back(t.coefficient[d] * tiles.extent(tile, d), tiles.extent(u.both, d));
    out *= distinct_sums(terms);
  }
  return out;
}

// Twice the hops to all groups of receivers, added up (rule 11).
inline u64 half_hops(const Level& level, const Tensor& t, const Tiles& tiles, const Unrolling& u, const Tile& tile) {
  std::map<std::array<u64, kRanks>, std::map<u64, std::pair<i128, i128>>> groups;  // [what they want][column]: rows
  for (u64 id = 0; id < u.receivers && u.receivers > 1; ++id) {
    std::array<u64, kRanks> origin{};
    u64 rest = id;
    const auto add = [&](int d, u64 n, u64 step) {
      if (contains(t.indexing, d)) origin[t.rank_of[d]] += t.coefficient[d] * tiles.extent(tile, d) * step * (rest % n);
      rest /= n;
    };
    for (const int d : level.x) add(d, tiles.extent(u.x, d), 1);
    for (const int d : level.y) add(d, tiles.extent(u.y, d), tiles.extent(u.x, d));
    const u64 row = id / level.fanout_x;
    groups[origin].try_emplace(id % level.fanout_x, row, row).first->second.second = row;
  }
  const i128 centre = static_cast<i128>(level.fanout_y) - 1;  // in half rows
  i128 out = 0;
  for (const auto& [origin, columns] : groups) {
    out += 2 * columns.rbegin()->first;  // along the row to the farthest column, and up and down in each
    for (const auto& [column, rows] : columns)
      out += std::max<i128>(0, centre - 2 * rows.first) + std::max<i128>(0, 2 * rows.second - centre);
  }
  return static_cast<u64>(out);
}
}  // namespace check_proof

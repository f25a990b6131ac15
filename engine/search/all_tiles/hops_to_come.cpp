// How far words go at least in the network of a fan-out whose loops are not placed yet (docs/rules/any_factors.md,
// item 9).

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "engine/model/multicast.h"
#include "engine/search/all_tiles/network_hops.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {
namespace {

constexpr u64 kMostUnitsAhead = 1'024;  // of more nothing is said
constexpr std::size_t kMostSides = 3;

// A dimension with several units in the fan-out.
struct SpreadSide {
  int d;
  u64 size;
  TilesInFanout tiles;
};

// One loop of a nest of them, innermost first.
struct HopLoop {
  std::size_t side;
  u64 end, weight;  // of its digit in the side's place
};

class LeastHops {
 public:
  LeastHops(const Compiled& c, int level, const TilesInFanouts& tiles, DimensionMask x, DimensionMask y)
      : c_(c), number_(level), level_(c.level[level]), x_(x), y_(y) {
    for (int d = 0; d < c.dimension_count; ++d)
      if (tiles[d].units != 1) sides_.push_back({d, c.size[d], tiles[d]}), units_ *= tiles[d].units;
  }

  // Over all nests that make these units.
  u128 run() {
    if (sides_.empty() || sides_.size() > kMostSides || units_ > kMostUnitsAhead) return 0;
    choose(0, 1, 1);
    return least_ == kNone ? 0 : least_;
  }

 private:
  using Places = std::array<u64, kMostSides>;
  static constexpr u128 kNone = std::numeric_limits<u128>::max();

  // What loops along X and Y make of each side; then all orders of both.
  void choose(std::size_t s, u64 along_x, u64 along_y) {
    if (s == sides_.size()) {
      std::vector<HopLoop> x, y;
      for (std::size_t k = 0; k < s; ++k) {
        if (of_x_[k] != 1) x.push_back({k, of_x_[k], 1});
        if (of_x_[k] != sides_[k].tiles.units) y.push_back({k, sides_[k].tiles.units / of_x_[k], of_x_[k]});
      }
      const auto by_side = [](const HopLoop& a, const HopLoop& b) { return a.side < b.side; };
      do {
        do {
          std::vector<HopLoop> all = x;
          all.insert(all.end(), y.begin(), y.end());
          least_ = std::min(least_, energy(all));
        } while (std::next_permutation(y.begin(), y.end(), by_side));
      } while (std::next_permutation(x.begin(), x.end(), by_side));
      return;
    }
    const SpreadSide& side = sides_[s];
    for (u64 e = 1; e <= side.tiles.units; ++e) {
      const u64 rest = side.tiles.units / e;
      if (side.tiles.units % e != 0 || along_x * e > level_.fanout_x || along_y * rest > level_.fanout_y) continue;
      if ((e != 1 && !contains(x_, side.d)) || (rest != 1 && !contains(y_, side.d))) continue;
      of_x_[s] = e;
      choose(s + 1, along_x * e, along_y * rest);
    }
  }

  u128 energy(std::span<const HopLoop> loops) const {
    u128 sum = 0;
    for (int v = 0; v < c_.tensor_count; ++v)
      if (carries_tiles(c_, number_, v)) sum += hop_energy(level_, v, {}, half_hops_of(v, loops));
    return sum;
  }

  // In the first context all units work, but maybe of the last iteration of the outermost loop over each dimension: a
  // word goes to all of these that differ along dimensions which do not index the tensor. Along one dimension that is a
  // rank of its own it is known how many words go to each place; along the others it is the nearest.
  u64 half_hops_of(int v, std::span<const HopLoop> loops) const {
    const CompiledTensor& t = c_.tensor[v];
    const u64 words = touched_words(t, c_);
    const std::vector<Group> groups = groups_of(t, loops);
    u64 most = 0;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const int d = sides_[s].d;
      const bool plain = contains(t.alone, d) && t.by_dimension[t.first_of[d]].coefficient == 1;
      if (contains(t.indexing, d) && plain)
        most = std::max(most, words / sides_[s].size * spread(sides_[s], nearest(groups, s)));
    }
    return most != 0 ? most : words * std::ranges::min(groups, {}, &Group::hops).hops;
  }

  // Units that take the same words in the first context.
  struct Group {
    Places place{};  // along each side that indexes the tensor
    u64 hops = 0;    // half hops of one word to all of them
  };

  std::vector<Group> groups_of(const CompiledTensor& t, std::span<const HopLoop> loops) const {
    Places working;  // along each side, at least
    for (std::size_t s = 0; s < sides_.size(); ++s)
      for (const HopLoop& loop : loops)  // of a side the outermost one comes last
        if (loop.side == s) working[s] = (loop.end - 1) * loop.weight + 1;
    std::map<Places, std::vector<FanoutReceiver>> receivers;
    for (u64 number = 0; number < units_; ++number) {
      u64 left = number;
      Places place{};
      for (const HopLoop& loop : loops) place[loop.side] += left % loop.end * loop.weight, left /= loop.end;
      bool works = true;
      for (std::size_t s = 0; s < sides_.size(); ++s)
        if (!contains(t.indexing, sides_[s].d)) works &= std::exchange(place[s], 0) < working[s];
      if (works)
        receivers[place].push_back(
            {0, static_cast<u32>(number % level_.fanout_x), static_cast<u32>(number / level_.fanout_x)});
    }
    std::vector<Group> out;
    for (auto& [place, group] : receivers) {
      std::ranges::sort(group);
      out.push_back({place, half_hops(group, level_.fanout_y)});
    }
    return out;
  }

  // [place along side s]: half hops to the nearest group there.
  std::vector<u64> nearest(std::span<const Group> groups, std::size_t s) const {
    std::vector<u64> out(sides_[s].tiles.units, ~u64{0});
    for (const Group& g : groups) out[g.place[s]] = std::min(out[g.place[s]], g.hops);
    return out;
  }

  // Half hops of all elements of a dimension, over all tiles that they may be in: the k-th tile is at place k modulo
  // the units. Of as many tiles it is linear in their size: the shortest or the longest are the least.
  static u64 spread(const SpreadSide& side, const std::vector<u64>& hops) {
    const u64 part = side.tiles.part;
    u64 least = ~u64{0};
    for (u64 tile = part; tile <= side.size;) {
      const u64 tiles = ceil_div(side.size, tile);
      const u64 longest = tiles == 1 ? side.size : (side.size - 1) / (tiles - 1);
      const u64 fast = std::min(longest, longest_fast(side.tiles, tiles)) / part * part;
      if (2 * tiles > side.tiles.units && tile <= fast)
        for (const u64 t : {tile, fast}) least = std::min(least, of_tiles(side, tiles, t, hops));
      tile = (longest / part + 1) * part;
    }
    return least == ~u64{0} ? 0 : least;
  }

  // The longest tile, if there are `tiles`, that takes no more steps than any may: the unit that has most goes through
  // all contexts, of which only the last one may be shorter.
  static u64 longest_fast(const TilesInFanout& known, u64 tiles) {
    const u64 contexts = ceil_div(ceil_div(tiles, known.units), known.outside);
    if (known.most_steps == 0) return 0;
    const u64 each = contexts == 1 ? known.most_steps : (known.most_steps - 1) / (contexts - 1);
    return each >= ~u64{0} / known.inside ? ~u64{0} : each * known.inside;
  }
  static u64 of_tiles(const SpreadSide& side, u64 tiles, u64 tile, const std::vector<u64>& hops) {
    if (side.tiles.units < 2) return side.size * hops[0];
    u64 sum = 0;
    for (u64 p = 0; p < side.tiles.units && p < tiles; ++p)
      sum += ((tiles - 1 - p) / side.tiles.units + 1) * tile * hops[p];
    return sum - (tiles * tile - side.size) * hops[(tiles - 1) % side.tiles.units];
  }

  const Compiled& c_;
  const int number_;
  const CompiledLevel& level_;
  DimensionMask x_, y_;
  std::vector<SpreadSide> sides_;
  u64 units_ = 1;
  std::array<u64, kMostSides> of_x_{};
  u128 least_ = kNone;
};

}  // namespace

u128 HopsToCome::least(const Compiled& c, int level, const TilesInFanouts& tiles, DimensionMask x, DimensionMask y) {
  std::vector<u64> key{static_cast<u64>(level), u64{x} << 32 | y};
  for (int d = 0; d < c.dimension_count; ++d)
    if (const TilesInFanout& t = tiles[d]; t.units != 1)
      key.insert(key.end(), {static_cast<u64>(d), t.units, t.inside, t.outside, t.most_steps, t.part});
  return known_(std::move(key), [&] { return LeastHops(c, level, tiles, x, y).run(); });
}

}  // namespace heliolite

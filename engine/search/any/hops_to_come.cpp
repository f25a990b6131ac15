#include "engine/search/any/hops_to_come.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "engine/model/multicast.h"
#include "engine/search/any/network_hops.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {
namespace {

constexpr u64 kMostUnits = 1'024;  // of more nothing is said
constexpr std::size_t kMostSides = 3;

// A dimension with several units in the fan-out.
struct SpreadSide {
  int d;
  u64 size, units;
};

// One loop of a nest of them, innermost first.
struct HopLoop {
  std::size_t side;
  u64 end, weight;  // of its digit in the side's place
};

class LeastHops {
 public:
  LeastHops(const Compiled& c, int level, const Extents& units, DimensionMask x, DimensionMask y)
      : c_(c), level_(c.level[at(level)]), x_(x), y_(y) {
    for (int d = 0; d < c.dimension_count; ++d)
      if (units[at(d)] != 1) sides_.push_back({d, c.size[at(d)], units[at(d)]}), units_ *= units[at(d)];
  }

  // Over all nests that make these units.
  u128 run() {
    if (sides_.empty() || sides_.size() > kMostSides || units_ > kMostUnits) return 0;
    choose(0, 1, 1);
    return least_ == kNone ? 0 : least_;
  }

 private:
  static constexpr u128 kNone = std::numeric_limits<u128>::max();

  // What loops along X and Y make of each side; then all orders of both.
  void choose(std::size_t s, u64 along_x, u64 along_y) {
    if (s == sides_.size()) {
      std::vector<HopLoop> x, y;
      for (std::size_t k = 0; k < s; ++k) {
        if (of_x_[k] != 1) x.push_back({k, of_x_[k], 1});
        if (of_x_[k] != sides_[k].units) y.push_back({k, sides_[k].units / of_x_[k], of_x_[k]});
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
    for (u64 e = 1; e <= side.units; ++e) {
      const u64 rest = side.units / e;
      if (side.units % e != 0 || along_x * e > level_.fanout_x || along_y * rest > level_.fanout_y) continue;
      if ((e != 1 && !contains(x_, side.d)) || (rest != 1 && !contains(y_, side.d))) continue;
      of_x_[s] = e;
      choose(s + 1, along_x * e, along_y * rest);
    }
  }

  u128 energy(std::span<const HopLoop> loops) const {
    u128 sum = 0;
    for (int v = 0; v < c_.tensor_count; ++v) sum += hop_energy(level_, v, {}, half_hops_of(v, loops));
    return sum;
  }

  // A word goes to a unit at least that is the first along the dimensions which do not index the tensor. Along one
  // dimension that is a rank of its own it is known how many words go to each place; along the others it is the
  // nearest.
  u64 half_hops_of(int v, std::span<const HopLoop> loops) const {
    const CompiledTensor& t = c_.tensor[at(v)];
    const u64 words = touched_words(t, c_);
    u64 most = 0;
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const int d = sides_[s].d;
      const bool plain = contains(t.alone, d) && t.by_dimension[t.first_of[at(d)]].coefficient == 1;
      if (contains(t.indexing, d) && plain)
        most = std::max(most, words / sides_[s].size * spread(sides_[s], nearest(t, loops, s)));
    }
    return most != 0 ? most : words * std::ranges::min(nearest(t, loops, sides_.size()));
  }

  // [place along side s]: half hops to the nearest unit there that a word may go to.
  std::vector<u64> nearest(const CompiledTensor& t, std::span<const HopLoop> loops, std::size_t s) const {
    std::vector<u64> out(s == sides_.size() ? 1 : sides_[s].units, ~u64{0});
    for (u64 number = 0; number < units_; ++number) {
      u64 left = number, place = 0;
      bool first = true;
      for (const HopLoop& loop : loops) {
        const u64 digit = left % loop.end;
        left /= loop.end;
        if (loop.side == s) place += digit * loop.weight;
        else if (!contains(t.indexing, sides_[loop.side].d)) first &= digit == 0;
      }
      if (!first) continue;
      const FanoutReceiver unit{0, static_cast<u32>(number % level_.fanout_x),
                                static_cast<u32>(number / level_.fanout_x)};
      out[place] = std::min(out[place], half_hops(std::span(&unit, 1), level_.fanout_y));
    }
    return out;
  }

  // Half hops of all elements of a dimension, over all tiles that they may be in: the k-th tile is at place k modulo
  // the units. Of as many tiles it is linear in their size: the shortest or the longest are the least.
  static u64 spread(const SpreadSide& side, const std::vector<u64>& hops) {
    u64 least = ~u64{0};
    for (u64 tile = 1; tile <= side.size;) {
      const u64 tiles = ceil_div(side.size, tile);
      const u64 longest = tiles == 1 ? side.size : (side.size - 1) / (tiles - 1);
      if (2 * tiles > side.units)
        for (const u64 t : {tile, longest}) least = std::min(least, of_tiles(side, tiles, t, hops));
      tile = longest + 1;
    }
    return least == ~u64{0} ? 0 : least;
  }
  static u64 of_tiles(const SpreadSide& side, u64 tiles, u64 tile, const std::vector<u64>& hops) {
    if (side.units < 2) return side.size * hops[0];
    u64 sum = 0;
    for (u64 p = 0; p < side.units && p < tiles; ++p) sum += ((tiles - 1 - p) / side.units + 1) * tile * hops[p];
    return sum - (tiles * tile - side.size) * hops[(tiles - 1) % side.units];
  }

  const Compiled& c_;
  const CompiledLevel& level_;
  DimensionMask x_, y_;
  std::vector<SpreadSide> sides_;
  u64 units_ = 1;
  std::array<u64, kMostSides> of_x_{};
  u128 least_ = kNone;
};

}  // namespace

u128 HopsToCome::least(const Compiled& c, int level, const Extents& units, DimensionMask x, DimensionMask y) {
  std::vector<u64> key{static_cast<u64>(level), u64{x} << 32 | y};
  for (int d = 0; d < c.dimension_count; ++d) key.push_back(units[at(d)]);
  return known_(std::move(key), [&] { return LeastHops(c, level, units, x, y).run(); });
}

}  // namespace heliolite

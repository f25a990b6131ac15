#include "check_proof/unrollings.h"

#include <algorithm>
#include <compare>
#include <tuple>

namespace check_proof {
namespace {

constexpr std::size_t kMostUnrollings = 1'000'000;

// Walks over all pairs of factors, dimension by dimension.
class AxesWalk {
 public:
  AxesWalk(const Instance& instance, const Tiles& tiles, const Level& level)
      : tiles_(tiles), level_(level), count_(instance.dimension_count()) {
    for (const int d : level.x) on_x_ |= bit(d);
    for (const int d : level.y) on_y_ |= bit(d);
  }

  std::vector<Unrolling> run() {
    u_.factor.fill(1);
    walk(0, level_.fanout_x, level_.fanout_y);
    std::vector<Unrolling> out;
    out.reserve(found_.size());
    for (const auto& [key, u] : found_) out.push_back(u);
    return out;
  }

 private:
  void walk(int d, u64 room_x, u64 room_y) {
    if (d == count_) {
      if (found_.size() == kMostUnrollings) throw Wrong{0, "more than a million unrollings of a level", true};
      const Digits none{};
      found_.try_emplace({~u_.receivers, u_.digits, level_.has_hops ? u_.x : none}, u_);
      return;
    }
    const std::vector<u64>& divisors = tiles_.of(d).of;
    const Unrolling before = u_;
    for (std::size_t a = 0; a < divisors.size() && divisors[a] <= room_x; ++a) {
      if (a > 0 && !contains(on_x_, d)) break;
      for (std::size_t b = 0; b < divisors.size() && divisors[b] <= room_y; ++b) {
        if (b > 0 && (!contains(on_y_, d) || (level_.one_axis && a > 0))) break;
        const u64 factor = divisors[a] * divisors[b];
        const int both = tiles_.of(d).digit(factor);
        if (both < 0 || !level_.unroll[d].allows(factor)) continue;
        u_.digits[d] = static_cast<u8>(both), u_.x[d] = static_cast<u8>(a), u_.y[d] = static_cast<u8>(b);
        u_.factor[d] = factor, u_.receivers = before.receivers * factor;
        walk(d + 1, room_x / divisors[a], room_y / divisors[b]);
      }
    }
    u_ = before;
  }

  const Tiles& tiles_;
  const Level& level_;
  const int count_;
  Mask on_x_ = 0, on_y_ = 0;
  Unrolling u_;
  std::map<std::tuple<u64, Digits, Digits>, Unrolling> found_;
};

// One receiver: the origin of its tile in each rank, and its place on the grid.
struct Receiver {
  std::array<u64, kRanks> origin{};
  u64 column = 0, row = 0;
  auto operator<=>(const Receiver&) const = default;
};

std::vector<Receiver> receivers_of(const Level& level, const Tensor& t, const Tiles& tiles, const Unrolling& u,
                                   const Extents& tile) {
  std::vector<std::pair<std::size_t, u64>> loops;  // innermost first
  for (const int d : level.x)
    if (const u64 n = tiles.extent(u.x, d); n > 1) loops.emplace_back(d, n);
  for (const int d : level.y)
    if (const u64 n = tiles.extent(u.y, d); n > 1) loops.emplace_back(d, n);
  std::vector<Receiver> out;
  for (u64 id = 0; id < u.receivers; ++id) {
    Receiver r;
    r.column = id % level.fanout_x, r.row = id / level.fanout_x;
    Extents step = tile;
    u64 rest = id;
    for (const auto& [d, n] : loops) {
      if (contains(t.indexing, static_cast<int>(d))) r.origin[t.rank_of[d]] += t.coefficient[d] * step[d] * (rest % n);
      step[d] *= n;
      rest /= n;
    }
    out.push_back(r);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<Unrolling> unrollings_of(const Instance& instance, const Tiles& tiles, int level) {
  const Level& l = instance.levels[level];
  if (l.has_fanout) return AxesWalk(instance, tiles, l).run();
  Unrolling none;
  none.factor.fill(1);
  return {none};
}

u64 receiver_groups(const Tensor& t, const Unrolling& u, const Extents& tile) {
  u64 out = 1;
  for (const auto& rank : t.ranks) {
    if (rank.size() == 1) {
      out *= u.factor[rank[0].dimension];
      continue;
    }
    std::vector<Summand> terms;
    for (const Term& term : rank) {
      terms.push_back({term.coefficient * tile[term.dimension], u.factor[term.dimension]});
    }
    out *= distinct_sums(terms);
  }
  return out;
}

u64 least_groups(const Tensor& t, const Unrolling& u) {
  u64 out = 1;
  for (const auto& rank : t.ranks) {
    u64 most = 1;
    for (const Term& term : rank) most = std::max(most, u.factor[term.dimension]);
    out *= most;
  }
  return out;
}

u64 half_hops(const Level& level, const Tensor& t, const Tiles& tiles, const Unrolling& u, const Extents& tile) {
  if (u.receivers == 1) return 0;
  const std::vector<Receiver> all = receivers_of(level, t, tiles, u, tile);
  const i128 centre = static_cast<i128>(level.fanout_y) - 1;  // in half rows
  u64 out = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    // Of a column the lowest and the highest row; of a group the farthest column, its last.
    std::size_t last = k;
    while (last + 1 < all.size() && all[last + 1].origin == all[k].origin && all[last + 1].column == all[k].column)
      ++last;
    const i128 below = centre - 2 * static_cast<i128>(all[k].row),
               above = 2 * static_cast<i128>(all[last].row) - centre;
    out += static_cast<u64>(std::max<i128>(0, below) + std::max<i128>(0, above));
    if (last + 1 == all.size() || all[last + 1].origin != all[k].origin) out += 2 * all[k].column;
    k = last;
  }
  return out;
}

}  // namespace check_proof

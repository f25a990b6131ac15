#include "check_proof/unrollings.h"

#include <algorithm>
#include <tuple>

namespace check_proof {
namespace {

constexpr u64 kMostUnrollings = 20'000'000;  // before those with the same products are taken together

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
      if (++visited_ > kMostUnrollings) throw Wrong{0, "more than 20 million unrollings of a level", true};
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
  u64 visited_ = 0;
  Unrolling u_;
  std::map<std::tuple<u64, Digits, Digits>, Unrolling> found_;
};

using Origin = std::array<u64, kRanks>;  // of the tile that a receiver wants, by rank
struct Rows {
  u64 first, last;
};

// The receivers of each group, by the columns of the grid.
std::map<Origin, std::map<u64, Rows>> groups_on_grid(const Level& level, const Tensor& t, const Tiles& tiles,
                                                     const Unrolling& u, const Extents& tile) {
  std::vector<std::pair<int, u64>> loops;  // innermost first
  for (const int d : level.x) loops.emplace_back(d, tiles.extent(u.x, d));
  for (const int d : level.y) loops.emplace_back(d, tiles.extent(u.y, d));
  std::map<Origin, std::map<u64, Rows>> out;
  for (u64 id = 0; id < u.receivers; ++id) {
    Origin origin{};
    Extents step = tile;
    u64 rest = id;
    for (const auto& [d, n] : loops) {
      if (contains(t.indexing, d)) origin[t.rank_of[d]] += t.coefficient[d] * step[d] * (rest % n);
      step[d] *= n;
      rest /= n;
    }
    const u64 row = id / level.fanout_x;
    out[origin].try_emplace(id % level.fanout_x, Rows{row, row}).first->second.last = row;
  }
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
  const i128 centre = static_cast<i128>(level.fanout_y) - 1;  // in half rows
  i128 out = 0;
  for (const auto& [origin, columns] : groups_on_grid(level, t, tiles, u, tile)) {
    out += 2 * columns.rbegin()->first;  // along the row to the farthest column, and up and down in each
    for (const auto& [column, rows] : columns)
      out += std::max<i128>(0, centre - 2 * i128{rows.first}) + std::max<i128>(0, 2 * i128{rows.last} - centre);
  }
  return static_cast<u64>(out);
}

}  // namespace check_proof

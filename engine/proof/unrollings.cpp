// All unrollings of a fan-out, those with most receivers first, and what its receivers share.
#include <algorithm>
#include <map>
#include <tuple>

#include "engine/base/integers.h"
#include "engine/proof/question.h"

namespace heliolite::proof {
namespace {

// Walks all pairs of factors, dimension by dimension.
class AxesWalk {
 public:
  AxesWalk(const Instance& instance, const ProofTiles& tiles, const InstanceLevel& level)
      : tiles_(tiles), level_(level), count_(instance.dimension_count()) {
    for (const int d : level.x) on_x_ |= dimension_bit(d);
    for (const int d : level.y) on_y_ |= dimension_bit(d);
    by_axes_ = std::ranges::any_of(level.of, [](const InstancePrices& p) { return p.hop != 0; });
  }

  std::vector<ProofUnrolling> run() {
    walk(0, level_.fanout_x, level_.fanout_y);
    std::vector<ProofUnrolling> out;
    for (auto& [key, u] : found_) out.push_back(u);
    return out;
  }

 private:
  void walk(int d, u64 room_x, u64 room_y) {
    if (d == count_) {
      // Most receivers first, then by the factors, then by those along X.
      std::vector<u64> factors, along_x;
      for (int e = 0; e < count_; ++e) factors.push_back(tiles_.extent(u_.digit, e));
      if (by_axes_)
        for (int e = 0; e < count_; ++e) along_x.push_back(tiles_.extent(u_.x, e));
      found_.try_emplace({~u_.receivers, std::move(factors), std::move(along_x)}, u_);
      return;
    }
    const DivisorDigits& of = tiles_.of(d);
    const FactorLimit& limit = level_.unroll[d];
    for (u16 a = 0; a < of.divisor.size() && of.divisor[a] <= room_x; ++a) {
      if (a > 0 && !contains(on_x_, d)) break;
      for (u16 b = 0; b < of.divisor.size() && of.divisor[b] <= room_y; ++b) {
        if (b > 0 && (!contains(on_y_, d) || (level_.one_axis && a > 0))) break;
        const u16 both = of.times[a][b];
        if (both == DivisorDigits::kNone || !limit.allows(of.divisor[both])) continue;
        const u64 before = u_.receivers;
        u_.digit[d] = both, u_.x[d] = a, u_.y[d] = b, u_.receivers *= of.divisor[both];
        walk(d + 1, room_x / of.divisor[a], room_y / of.divisor[b]);
        u_.receivers = before;
      }
    }
    u_.digit[d] = u_.x[d] = u_.y[d] = 0;
  }

  const ProofTiles& tiles_;
  const InstanceLevel& level_;
  const int count_;
  DimensionMask on_x_ = 0, on_y_ = 0;
  bool by_axes_ = false;
  ProofUnrolling u_;
  std::map<std::tuple<u64, std::vector<u64>, std::vector<u64>>, ProofUnrolling> found_;
};

// A receiver on the grid, and where its tile begins.
struct PlacedReceiver {
  std::array<u64, kMaxRanks> offset{};
  u64 column = 0, row = 0;
};

bool stands_before(const PlacedReceiver& a, const PlacedReceiver& b) {
  return std::tie(a.offset, a.column, a.row) < std::tie(b.offset, b.column, b.row);
}

}  // namespace

std::vector<ProofUnrolling> unrollings_of(const Instance& instance, const ProofTiles& tiles, int level) {
  const InstanceLevel& l = instance.levels[level];
  if (!l.has_fanout()) return {ProofUnrolling{}};
  return AxesWalk(instance, tiles, l).run();
}

u64 receiver_groups(const ProofTensor& t, const ProofTiles& tiles, const Digits& unrolled, const Digits& tile) {
  u64 out = 1;
  for (std::size_t r = 0; r < t.rank_count; ++r) {
    const ProofTensor::Rank& rank = t.rank[r];
    if (!rank.slides()) {
      out *= tiles.extent(unrolled, rank.dimension[0]);
      continue;
    }
    std::array<StridedTerm, kMaxTerms> terms;
    for (std::size_t k = 0; k < rank.terms; ++k)
      terms[k] = {rank.coefficient[k] * tiles.extent(tile, rank.dimension[k]),
                  tiles.extent(unrolled, rank.dimension[k])};
    out *= distinct_sums(std::span(terms).first(rank.terms));
  }
  return out;
}

u64 half_hops(const InstanceLevel& level, const ProofTensor& t, const ProofTiles& tiles, const ProofUnrolling& u,
              const Digits& tile) {
  if (u.receivers == 1) return 0;
  // The loops over the receivers, the innermost first.
  std::vector<std::pair<int, u64>> loops;
  const auto add = [&](const std::vector<int>& order, const Digits& axis) {
    for (const int d : order)
      if (axis[d] > 0) loops.emplace_back(d, tiles.extent(axis, d));
  };
  add(level.x, u.x);
  add(level.y, u.y);
  std::vector<PlacedReceiver> all;
  for (u64 id = 0; id < u.receivers; ++id) {
    PlacedReceiver r;
    r.column = id % level.fanout_x, r.row = id / level.fanout_x;
    std::array<u64, kMaxDimensions> step;  // of the next loop of a dimension, in tiles of a receiver
    step.fill(1);
    u64 rest = id;
    for (std::size_t k = 0; k < loops.size(); ++k) {
      const auto [d, count] = loops[k];
      const u64 index = rest % count;
      rest /= count;
      if (contains(t.indexing, d)) r.offset[t.rank_of[d]] += t.coefficient[d] * tiles.extent(tile, d) * step[d] * index;
      step[d] *= count;
    }
    all.push_back(r);
  }
  std::sort(all.begin(), all.end(), stands_before);
  const i64 centre = static_cast<i64>(level.fanout_y) - 1;  // in half rows
  u64 out = 0;
  for (std::size_t k = 0; k < all.size();) {
    const auto group = all[k].offset;
    u64 farthest = 0;
    while (k < all.size() && all[k].offset == group) {
      farthest = all[k].column;
      const i64 lowest = static_cast<i64>(all[k].row);
      while (k + 1 < all.size() && all[k + 1].offset == group && all[k + 1].column == farthest) ++k;
      const i64 highest = static_cast<i64>(all[k].row);
      out += static_cast<u64>(std::max<i64>(0, centre - 2 * lowest) + std::max<i64>(0, 2 * highest - centre));
      ++k;
    }
    out += 2 * farthest;
  }
  return out;
}

}  // namespace heliolite::proof

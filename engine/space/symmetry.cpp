#include "engine/space/symmetry.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

using Image = std::array<u8, kMaxDimensions>;
using Pair = std::pair<u8, u8>;
// Coefficients by dimension.
using RankTerms = std::array<u32, kMaxDimensions>;

std::array<RankTerms, kMaxRanks> ranks_of(const CompiledTensor& t) {
  std::array<RankTerms, kMaxRanks> out{};
  for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t.by_dimension[k];
    out[term.rank][term.dimension] += term.coefficient;
  }
  return out;
}

// The ranks that take the places of a tensor's ranks; none if there is no such rank.
std::optional<std::array<u8, kMaxRanks>> rank_image(const CompiledTensor& t, const Image& image) {
  const std::array<RankTerms, kMaxRanks> ranks = ranks_of(t);
  std::array<u8, kMaxRanks> out;
  std::iota(out.begin(), out.end(), u8{0});  // ranks that the tensor does not have stay
  unsigned taken = 0;
  for (std::size_t r = 0; r < at(t.rank_count); ++r) {
    RankTerms wanted{};
    for (std::size_t d = 0; d < kMaxDimensions; ++d) wanted[image[d]] = ranks[r][d];
    std::size_t found = 0;
    while (found < at(t.rank_count) && (contains(taken, static_cast<int>(found)) || ranks[found] != wanted)) ++found;
    if (found == at(t.rank_count)) return std::nullopt;
    taken |= 1u << found;
    out[r] = static_cast<u8>(found);
  }
  return out;
}

bool same(const FactorLimits& limits, Pair pair) {
  const FactorLimit& a = limits[pair.first];
  const FactorLimit& b = limits[pair.second];
  return a.min == b.min && a.max == b.max;
}

bool same(DimensionMask mask, Pair pair) { return contains(mask, pair.first) == contains(mask, pair.second); }

bool names(const OrderPrefix& order, Pair pair) {
  return std::ranges::any_of(order.dimensions(), [&](u8 d) { return d == pair.first || d == pair.second; });
}

// Whether the machine's constraints treat the dimensions of each pair alike.
bool alike(const Mapspace& space, const Compiled& compiled, std::span<const Pair> pairs) {
  for (std::size_t i = 0; i < space.levels.size(); ++i) {
    const LevelSpace& level = space.levels[i];
    const SpatialSpace& fanout = level.spatial;
    for (const Pair& pair : pairs) {
      if (!same(level.temporal.factor, pair) || !same(level.temporal.allowed, pair)) return false;
      if (!same(fanout.factor, pair) || !same(fanout.allowed_x, pair) || !same(fanout.allowed_y, pair)) return false;
      if (names(level.temporal.order, pair) || names(fanout.order, pair)) return false;
    }
    if (!fanout.exists() || !compiled.level[i].network_costs) continue;
    // The loops of an axis stand in the order of the dimensions: it has to be the same after the swap.
    for (const DimensionMask axis : {fanout.allowed_x, fanout.allowed_y})
      for (const Pair& pair : pairs)
        if (contains(axis, pair.first) && std::popcount(axis) > 1) return false;
  }
  return true;
}

}  // namespace

Symmetry::Symmetry() {
  std::iota(image_.begin(), image_.end(), u8{0});
  for (auto& ranks : rank_image_) std::iota(ranks.begin(), ranks.end(), u8{0});
}

Extents Symmetry::swapped(const Extents& extents) const {
  Extents out;
  for (std::size_t d = 0; d < kMaxDimensions; ++d) out[image_[d]] = extents[d];
  return out;
}

std::array<i64, kMaxRanks> Symmetry::swapped(int tensor, const std::array<i64, kMaxRanks>& by_rank) const {
  std::array<i64, kMaxRanks> out;
  for (std::size_t r = 0; r < kMaxRanks; ++r) out[rank_image_[tensor][r]] = by_rank[r];
  return out;
}

u64 Symmetry::swapped(u64 order) const {
  u64 out = 0;
  for (int shift = 0; order >> shift != 0; shift += 4)
    out |= static_cast<u64>(image(static_cast<int>(order >> shift & 15) - 1) + 1) << shift;
  return out;
}

Mapping Symmetry::swapped(const Mapping& mapping, const Mapspace& space) const {
  Mapping out = mapping;
  for (int k = 0; k < out.loop_count; ++k) out.loop[k].dimension = image(out.loop[k].dimension);
  const auto place = [&](const Loop& loop) {
    std::ptrdiff_t rank = 0;  // among the loops of an axis
    if (loop.is_spatial()) {
      const std::vector<u8> order = canonical_order(space, space.levels[loop.level].spatial.order);
      rank = std::ranges::find(order, loop.dimension) - order.begin();
    }
    return std::tuple(loop.level, loop.kind, rank);
  };
  std::stable_sort(out.loop.begin(), out.loop.begin() + out.loop_count,
                   [&](const Loop& a, const Loop& b) { return place(a) < place(b); });
  return out;
}

bool Symmetry::stands(const Extents& tile) const {
  for (std::size_t d = 0; d < kMaxDimensions; ++d)
    if (tile[d] != tile[image_[d]]) return tile[d] < tile[image_[d]];
  return true;
}

std::optional<Symmetry> find_symmetry(const Mapspace& space, const Compiled& compiled) {
  std::vector<Pair> all;
  for (const int d : bits(space.non_unit))
    for (const int e : bits(space.non_unit & ~((2u << d) - 1)))
      if (space.size[d] == space.size[e] &&
          alike(space, compiled, std::array{Pair{static_cast<u8>(d), static_cast<u8>(e)}}))
        all.push_back({static_cast<u8>(d), static_cast<u8>(e)});
  constexpr std::size_t kMostPairs = 3;
  std::vector<Pair> chosen;
  std::optional<Symmetry> found;
  const auto try_pairs = [&](auto& self, std::size_t first, std::size_t count) -> bool {
    if (chosen.size() == count) {
      Symmetry symmetry;
      for (const auto& [d, e] : chosen) std::swap(symmetry.image_[d], symmetry.image_[e]);
      for (int v = 0; v < compiled.tensor_count; ++v) {
        const auto ranks = rank_image(compiled.tensor[v], symmetry.image_);
        if (!ranks) return false;
        symmetry.rank_image_[v] = *ranks;
      }
      found = symmetry;
      return true;
    }
    for (std::size_t k = first; k < all.size(); ++k) {
      const auto meets = [&](const Pair& other) {
        return other.first == all[k].first || other.first == all[k].second || other.second == all[k].first ||
               other.second == all[k].second;
      };
      if (std::ranges::any_of(chosen, meets)) continue;
      chosen.push_back(all[k]);
      if (self(self, k + 1, count)) return true;
      chosen.pop_back();
    }
    return false;
  };
  for (std::size_t count = 1; count <= kMostPairs; ++count)
    if (try_pairs(try_pairs, 0, count)) break;
  return found;
}

}  // namespace heliolite

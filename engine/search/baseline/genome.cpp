#include "engine/search/baseline/genome.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/baseline/sampler.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

// Seats are the places of a factor with the axes told apart.
constexpr int kX = 0, kY = 1, kTime = 2, kSeats = 3;

}  // namespace

GenomeSpace::GenomeSpace(const LayerProblem& problem)
    : space_(problem.space),
      splits_(problem.space, false),
      writer_(problem.space),
      primes_(problem.space.dimension_count),
      seats_(problem.space.dimension_count) {
  for (const int d : bits(space_.non_unit)) {
    dimensions_.push_back(static_cast<u8>(d));
    for (const PrimePower& p : factorize(space_.size[d])) primes_[d].push_back(static_cast<u32>(p.prime));
  }
  for (int i = 0; i < space_.level_count(); ++i) {
    const LevelSpace& level = space_.levels[i];
    int loops = 0;
    for (const u8 d : dimensions_) {
      if (contains(level.spatial.allowed_x, d)) seats_[d].push_back(kSeats * i + kX);
      if (contains(level.spatial.allowed_y, d)) seats_[d].push_back(kSeats * i + kY);
      if (!contains(level.temporal.allowed, d)) continue;
      seats_[d].push_back(kSeats * i + kTime);
      ++loops;
    }
    if (loops > 1) ordered_levels_.push_back(static_cast<u8>(i));
    for (const int v : bits(level.open)) open_.emplace_back(static_cast<u8>(i), static_cast<TensorMask>(1u << v));
  }
}

bool GenomeSpace::possible() const {
  return std::ranges::all_of(dimensions_,
                             [&](u8 d) { return splits_.ways(d, 0, static_cast<u32>(space_.size[d])) > 0; });
}

Genome GenomeSpace::smallest_tiles() const {
  Genome out;
  for (auto& place : out.factor) place.fill({});
  for (const u8 d : dimensions_) {
    auto left = static_cast<u32>(space_.size[d]);
    for (int p = 0; p < splits_.place_count(); ++p)
      splits_.for_each_run(d, p, left, [&](const FactorRun& run) {
        out.factor[p][d] = {run.first, run.y};
        left = run.left;
        return false;
      });
  }
  for (std::size_t i = 0; i < space_.levels.size(); ++i) {
    std::iota(out.order[i].begin(), out.order[i].end(), u8{0});
    out.keep[i] = static_cast<TensorMask>(space_.levels[i].keep | space_.levels[i].open);
  }
  return out;
}

void GenomeSpace::draw_split(SplitMix& random, int dimension, Genome& genome) const {
  heliolite::draw_split(splits_, dimension, random,
                        [&](int p, PlaceFactor factor) { genome.factor[p][dimension] = factor; });
}

u32* GenomeSpace::factor_at(Genome& genome, int seat, int dimension) const {
  const int kind = seat % kSeats;
  PlaceFactor& factor = genome.factor[place_of(seat / kSeats, kind != kTime)][dimension];
  return kind == kY ? &factor.y : &factor.x;
}

bool GenomeSpace::legal(const Genome& genome, int dimension) const {
  const auto d = at(dimension);
  for (int i = 0; i < space_.level_count(); ++i) {
    const LevelSpace& level = space_.levels[i];
    const PlaceFactor& spatial = genome.factor[place_of(i, true)][d];
    if (spatial.x > level.spatial.fanout_x || spatial.y > level.spatial.fanout_y) return false;
    if (space_.one_axis_per_dimension && spatial.x > 1 && spatial.y > 1) return false;
    if (!level.spatial.factor[d].allows(u64{spatial.x} * spatial.y)) return false;
    if (!level.temporal.factor[d].allows(genome.factor[place_of(i, false)][d].x)) return false;
  }
  return true;
}

bool GenomeSpace::move_factor(SplitMix& random, Genome& genome) const {
  if (dimensions_.empty()) return false;
  const u8 d = dimensions_[random.below(dimensions_.size())];
  const auto& seats = seats_[d];
  if (seats.size() < 2) return false;
  const u32 prime = primes_[d][random.below(primes_[d].size())];
  u32* const from = factor_at(genome, seats[random.below(seats.size())], d);
  u32* const to = factor_at(genome, seats[random.below(seats.size())], d);
  if (from == to || *from % prime != 0) return false;
  *from /= prime;
  *to *= prime;
  if (legal(genome, d)) return true;
  *from *= prime;
  *to /= prime;
  return false;
}

bool GenomeSpace::swap_loops(SplitMix& random, Genome& genome) const {
  if (ordered_levels_.empty()) return false;
  const u8 i = ordered_levels_[random.below(ordered_levels_.size())];
  // The places of loops that are there: others change nothing.
  std::array<u8, kMaxDimensions> place{};
  std::size_t count = 0;
  for (std::size_t k = 0; k < space_.dimension_count; ++k)
    if (genome.factor[place_of(i, false)][genome.order[i][k]].x > 1) place[count++] = static_cast<u8>(k);
  if (count < 2) return false;
  const std::size_t k = random.below(count - 1);
  std::swap(genome.order[i][place[k]], genome.order[i][place[k + 1]]);
  return true;
}

bool GenomeSpace::toggle_keep(SplitMix& random, Genome& genome) const {
  if (open_.empty()) return false;
  const auto& [level, tensor] = open_[random.below(open_.size())];
  genome.keep[level] ^= tensor;
  return true;
}

bool GenomeSpace::write(const Genome& genome, Mapping& out) const {
  if (!writer_.fits_fanouts(genome.factor)) return false;
  LevelOrders orders;
  for (int i = 0; i < space_.level_count(); ++i) {
    const auto level = at(i);
    const std::size_t ordered = writer_.present(genome.factor, i, orders);
    std::array<u8, kMaxDimensions> rank{};
    for (std::size_t k = 0; k < space_.dimension_count; ++k) rank[genome.order[level][k]] = static_cast<u8>(k);
    u8* const loops = orders.loop[level].data();
    std::sort(loops + ordered, loops + orders.count[level], [&](u8 a, u8 b) { return rank[a] < rank[b]; });
    out.keep[level] = genome.keep[level];
  }
  writer_.write(out, genome.factor, orders);
  return true;
}

}  // namespace heliolite

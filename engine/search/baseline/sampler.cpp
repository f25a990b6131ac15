#include "engine/search/baseline/sampler.h"

#include <utility>

#include "engine/base/integers.h"
#include "engine/model/tile_box.h"
#include "engine/search/baseline/split_walk.h"
#include "engine/space/footprint.h"

namespace heliolite {

Sampler::Sampler(const Mapspace& space, const CostModel& model, bool imperfect, u64 seed, Counts counts)
    : space_(space),
      model_(model),
      imperfect_(imperfect),
      counts_(counts),
      seed_(seed),
      splits_(space, imperfect),
      writer_(space) {
  for (int d = 0; d < space.dimension_count; ++d)
    table_.push_back(imperfect ? std::nullopt : SplitTable::of(splits_, d));
  for (int i = 0; i < space.level_count(); ++i)
    if (space.levels[at(i)].spatial.exists()) fanouts_.push_back(i);
}

bool Sampler::possible() const {
  for (int d = 0; d < space_.dimension_count; ++d)
    if (splits_.ways(d, 0, size(d)) == 0) return false;
  return true;
}

Evaluation Sampler::evaluate(u64 number, Mapping& out) const {
  SplitMix random(seed_, number);
  Tiling tiling;
  if (!draw_until_enough(random, tiling)) return {Verdict::OverFanoutX, 0, {}};
  // The tiles of imperfect factors are not products.
  if (!imperfect_)
    if (const auto level = overflowing_level(tiling)) return {Verdict::OverCapacity, static_cast<u8>(*level), {}};
  PlaceFactors factors;
  write_factors(tiling, factors);
  draw_rest(random, factors, out);
  return model_.evaluate(out, counts_);
}

Verdict Sampler::draw_factors(SplitMix& random, PlaceFactors& out) const {
  Tiling tiling;
  if (!draw_until_enough(random, tiling)) return Verdict::OverFanoutX;
  if (overflowing_level(tiling)) return Verdict::OverCapacity;
  write_factors(tiling, out);
  return Verdict::Fits;
}

// Where mappings must use many units few draws do: the next ones count as the same.
bool Sampler::draw_until_enough(SplitMix& random, Tiling& tiling) const {
  constexpr int kDraws = 64;
  if (space_.least_units <= 1) return draw_tiling(random, tiling);
  for (int k = 0; k < kDraws; ++k)
    if (draw_tiling(random, tiling) && units(tiling) >= space_.least_units) return true;
  return false;
}

u64 Sampler::units(const Tiling& tiling) const {
  u64 product = 1;
  for (std::size_t d = 0; d < space_.dimension_count; ++d)
    for (const int i : fanouts_) product *= u64{tiling.unrolled[d][i].x} * tiling.unrolled[d][i].y;
  return product;
}

// False: a fan-out has no room for it.
bool Sampler::draw_tiling(SplitMix& random, Tiling& tiling) const {
  std::array<u64, kMaxLevels> x, y;  // each factor is within the fan-out, so that products of two do not overflow
  for (const int i : fanouts_) x[at(i)] = y[at(i)] = 1;
  std::array<std::size_t, kMaxDimensions> unrolling;
  for (std::size_t d = 0; d < space_.dimension_count; ++d) {
    if (const auto& table = table_[d]) {
      unrolling[d] = table->draw_unrolling(random);
      tiling.unrolled[d] = table->factors(unrolling[d]);
    } else {
      walk_split(random, static_cast<int>(d), tiling.own[d]);
      tiling.unrolled[d] = tiling.own[d].unrolled.data();
      tiling.loop[d] = tiling.own[d].loop.data();
    }
    for (const int i : fanouts_) {
      const SpatialSpace& room = space_.levels[at(i)].spatial;
      x[at(i)] *= tiling.unrolled[d][i].x;
      y[at(i)] *= tiling.unrolled[d][i].y;
      if (x[at(i)] > room.fanout_x || y[at(i)] > room.fanout_y) return false;
    }
  }
  for (std::size_t d = 0; d < space_.dimension_count; ++d)
    if (const auto& table = table_[d]) tiling.loop[d] = table->draw_loops(random, unrolling[d]);
  return true;
}

void Sampler::walk_split(SplitMix& random, int d, Split& out) const {
  draw_split(splits_, d, random, [&](int p, PlaceFactor factor) {
    const auto level = at(place_level(p));
    if (is_spatial_place(p)) out.unrolled[level] = factor;
    else out.loop[level] = factor.x;
  });
}

// The innermost level whose tile is too large even if it keeps only what it must.
std::optional<int> Sampler::overflowing_level(const Tiling& tiling) const {
  const Compiled& c = model_.compiled();
  Extents tile = unit_extents();
  for (int i = 0; i < c.level_count; ++i) {
    for (std::size_t d = 0; d < space_.dimension_count; ++d)
      tile[d] *= tiling.unrolled[d][i].x * tiling.unrolled[d][i].y * tiling.loop[d][i];
    const CompiledLevel& level = c.level[at(i)];
    if (level.holds_all()) continue;
    u64 used = 0;
    for (const int v : bits(space_.levels[at(i)].keep)) used += level.taken(v, box_words(c.tensor[at(v)], tile));
    if (used > level.room) return i;
  }
  return std::nullopt;
}

void Sampler::write_factors(const Tiling& tiling, PlaceFactors& out) const {
  for (int i = 0; i < space_.level_count(); ++i) {
    auto& spatial = out[at(place_of(i, true))];
    auto& temporal = out[at(place_of(i, false))];
    spatial.fill({});
    temporal.fill({});
    for (std::size_t d = 0; d < space_.dimension_count; ++d) {
      spatial[d] = tiling.unrolled[d][i];
      temporal[d].x = tiling.loop[d][i];
    }
  }
}

void Sampler::draw_rest(SplitMix& random, const PlaceFactors& factors, Mapping& out) const {
  LevelOrders orders;
  for (int i = 0; i < space_.level_count(); ++i) {
    const auto level = at(i);
    auto& loops = orders.loop[level];
    for (std::size_t k = writer_.present(factors, i, orders); k < orders.count[level]; ++k)
      std::swap(loops[k], loops[k + random.below(orders.count[level] - k)]);
    const LevelSpace& space = space_.levels[level];
    out.keep[level] = static_cast<TensorMask>(space.keep | (space.open & random.next()));
  }
  writer_.write(out, factors, orders);
}

}  // namespace heliolite

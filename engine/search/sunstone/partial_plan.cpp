#include "engine/search/sunstone/partial_plan.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"

namespace heliolite {

namespace {

// What is unrolled outside a level, against the size of its fan-outs.
struct Outside {
  Extents loops = unit_extents();
  u64 used = 1, instances = 1;
};

Outside unrolled_outside(const Mapspace& space, const Plan& plan, int level) {
  Outside out;
  for (int i = level + 1; i < space.level_count(); ++i) {
    const SpatialSpace& s = space.levels[i].spatial;
    if (!s.exists()) continue;
    out.instances *= s.fanout_x * s.fanout_y;
    for (int d = 0; d < space.dimension_count; ++d) {
      const u32 f =
          plan.factor[loop_place_of(LoopKind::SpatialX, i)][d] * plan.factor[loop_place_of(LoopKind::SpatialY, i)][d];
      out.loops[d] *= f;
      out.used *= f;
    }
  }
  return out;
}

template <class Price>
void judge_by(Ladder& ladder, PartialPlan& p, int outer, Price&& price) {
  const Outside outside = unrolled_outside(ladder.space(), p.plan, outer);
  Extents rest = p.rest;
  for (int d = 0; d < ladder.space().dimension_count; ++d) rest[d] *= outside.loops[d];
  p.score = price(rest);
  if (!p.score.fits || outside.used == outside.instances) return;
  u64& cycles = p.score.cost.cycles;
  const u128 idle = static_cast<u128>(cycles) * outside.instances;
  cycles = static_cast<u64>(std::min<u128>((idle + outside.used - 1) / outside.used, kTooManyCycles));
  p.score.value = Value::of(ladder.objective(), p.score.cost);
}

}  // namespace

Extents unrolled_through(const Mapspace& space, const Plan& plan, int level) {
  Extents out = unit_extents();
  for (int i = 0; i <= level; ++i) {
    if (!space.levels[i].spatial.exists()) continue;
    for (int d = 0; d < space.dimension_count; ++d)
      out[d] *=
          plan.factor[loop_place_of(LoopKind::SpatialX, i)][d] * plan.factor[loop_place_of(LoopKind::SpatialY, i)][d];
  }
  return out;
}

Extents tile_through(const Mapspace& space, const Plan& plan, int level) {
  Extents out = unrolled_through(space, plan, level);
  for (int i = 0; i <= level; ++i)
    for (int d = 0; d < space.dimension_count; ++d) out[d] *= plan.factor[loop_place_of(LoopKind::Temporal, i)][d];
  return out;
}

bool rest_can_be_placed(const Mapspace& space, const Extents& rest, int first, int unrolled) {
  for (int d = 0; d < space.dimension_count; ++d) {
    u64 least = 1, most = 1;
    const auto place = [&](const FactorLimit& limit) {
      least *= limit.min;
      most = std::min<u64>(most * limit.max, rest[d]);
    };
    for (int i = first; i < space.level_count(); ++i) {
      const LevelSpace& level = space.levels[i];
      place(level.temporal.factor[d]);
      if (i > unrolled) place(level.spatial.factor[d]);
    }
    if (rest[d] % least != 0 || most < rest[d]) return false;
  }
  return true;
}

void judge(Ladder& ladder, PartialPlan& p, int outer) {
  judge_by(ladder, p, outer, [&](const Extents& rest) { return ladder.score(p.plan, outer, rest); });
}

void judge_with_orders(Ladder& ladder, PartialPlan& p, int first, int outer) {
  judge_by(ladder, p, outer, [&](const Extents& rest) { return ladder.choose_orders(p.plan, first, outer, rest); });
}

TileGrowth::TileGrowth(Ladder& ladder, std::span<const DivisorTable> tables, int first, int outer)
    : ladder_(ladder), space_(ladder.space()), first_(first), outer_(outer) {
  for (std::size_t d = 0; d < tables.size(); ++d)
    for (u32 n : tables[d].all()) {
      const auto divides = [n](u32 prime) { return n % prime == 0; };
      if (n > 1 && std::none_of(primes_[d].begin(), primes_[d].end(), divides)) primes_[d].push_back(n);
    }
  // Large ones first: behind small ones they may no longer fit.
  for (auto& primes : primes_) std::reverse(primes.begin(), primes.end());
}

void TileGrowth::strip(PartialPlan& p) const {
  for (int i = first_; i < outer_; ++i)
    for (int d = 0; d < space_.dimension_count; ++d) {
      u32& factor = p.plan.factor[loop_place_of(LoopKind::Temporal, i)][d];
      p.rest[d] *= factor;
      factor = 1;
    }
}

void TileGrowth::regrow(PartialPlan& p) {
  PartialPlan bare = p;
  strip(bare);
  for (int v = 0; v < space_.tensor_count && !ladder_.stopped(); ++v) {
    PartialPlan other = bare;
    if (grow_first(other, ladder_.model().workload().indexing(v)) && other.score.value < p.score.value) p = other;
  }
}

bool TileGrowth::begin(PartialPlan& p) {
  if (!start(p)) return false;
  hopeful_.fill(kEveryDimension);
  enlarge(p);
  return true;
}

void TileGrowth::finish(PartialPlan& p) {
  for (int round = 0; round < kRounds && !ladder_.stopped(); ++round) {
    const Value before = p.score.value;
    hopeful_.fill(kEveryDimension);
    while (enlarge(p)) {
    }
    judge_with_orders(ladder_, p, std::max(first_, 1), outer_);
    if (p.score.value == before) break;
  }
}

bool TileGrowth::grow_first(PartialPlan& p, DimensionMask first) {
  if (!start(p)) return false;
  hopeful_.fill(first);
  while (first != kEveryDimension && enlarge(p)) {
  }
  finish(p);
  return true;
}

// With the factors that the machine demands.
bool TileGrowth::start(PartialPlan& p) {
  for (int i = first_; i < outer_; ++i)
    for (int d = 0; d < space_.dimension_count; ++d) {
      const u64 least = space_.levels[i].temporal.factor[d].min;
      if (p.rest[d] % least != 0) return false;
      p.plan.factor[loop_place_of(LoopKind::Temporal, i)][d] = static_cast<u32>(least);
      p.rest[d] /= static_cast<u32>(least);
    }
  if (!rest_can_be_placed(space_, p.rest, outer_, space_.level_count()) ||
      !ladder_.tile_fits(tile_through(space_, p.plan, outer_), outer_))
    return false;
  judge_with_orders(ladder_, p, std::max(first_, 1), outer_);
  return p.score.fits;
}

// One step for each dimension at each level where steps have been cheaper so far. True: some step was.
bool TileGrowth::enlarge(PartialPlan& p) {
  bool any = false;
  for (int d = 0; d < space_.dimension_count && !ladder_.stopped(); ++d)
    for (int i = first_; i < outer_; ++i) {
      DimensionMask& hopeful = hopeful_[i];
      if (!contains(hopeful, d)) continue;
      if (enlarge(p, d, i)) any = true;
      else hopeful &= static_cast<DimensionMask>(~(1u << d));
    }
  return any;
}

bool TileGrowth::enlarge(PartialPlan& p, int d, int level) {
  bool any = false;
  const FactorLimit& limit = space_.levels[level].temporal.factor[d];
  const u32& factor = p.plan.factor[loop_place_of(LoopKind::Temporal, level)][d];
  for (u32 prime : primes_[d])
    if (p.rest[d] % prime == 0 && limit.allows(u64{factor} * prime)) any |= try_factor(p, d, level, prime);
  return any;
}

bool TileGrowth::try_factor(PartialPlan& p, int d, int level, u32 by) {
  const Score before = p.score;
  u32& factor = p.plan.factor[loop_place_of(LoopKind::Temporal, level)][d];
  factor *= by;
  p.rest[d] /= by;
  if (rest_can_be_placed(space_, p.rest, outer_, space_.level_count()) &&
      ladder_.tile_fits(tile_through(space_, p.plan, outer_), outer_)) {
    ladder_.count_tile(level);
    judge(ladder_, p, outer_);
    if (p.score.fits && p.score.value < before.value) return true;
  }
  p.score = before;
  factor /= by;
  p.rest[d] *= by;
  return false;
}

}  // namespace heliolite

#include "engine/search/sunstone/moves.h"

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

bool loop_place_allows(const Mapspace& space, int loop_place, int dimension) {
  const LevelSpace& level = space.levels[at(level_of(loop_place))];
  const DimensionMask allowed = kind_of(loop_place) == LoopKind::SpatialX   ? level.spatial.allowed_x
                                : kind_of(loop_place) == LoopKind::SpatialY ? level.spatial.allowed_y
                                                                            : level.temporal.allowed;
  return contains(allowed, dimension);
}

}  // namespace

MoveSpace::MoveSpace(const Mapspace& space) : space_(space) {
  for (std::size_t d = 0; d < space.dimension_count; ++d) {
    for (int loop_place = 0; loop_place < 3 * space.level_count(); ++loop_place) {
      if (!loop_place_allows(space, loop_place, static_cast<int>(d))) continue;
      loop_places_[d].push_back(static_cast<u8>(loop_place));
    }
    for (const PrimePower& p : factorize(space.size[d])) primes_[d].push_back(static_cast<u32>(p.prime));
  }
  for (int i = 0; i < space.level_count(); ++i)
    for (int v = 0; v < space.tensor_count; ++v)
      if (contains(space.levels[at(i)].open, v)) open_.emplace_back(static_cast<u8>(i), static_cast<u8>(v));
}

bool MoveSpace::legal_at(const Plan& plan, int dimension, int loop_place) const {
  const auto d = at(dimension);
  const int i = level_of(loop_place);
  const LevelSpace& level = space_.levels[at(i)];
  if (kind_of(loop_place) == LoopKind::Temporal)
    return level.temporal.factor[d].allows(plan.factor[loop_place_of(LoopKind::Temporal, i)][d]);
  const u64 x = plan.factor[loop_place_of(LoopKind::SpatialX, i)][d],
            y = plan.factor[loop_place_of(LoopKind::SpatialY, i)][d];
  return !(space_.one_axis_per_dimension && x > 1 && y > 1) && level.spatial.factor[d].allows(x * y);
}

bool MoveSpace::legal(const Plan& plan, const Move& m) const {
  return legal_at(plan, m.dimension, m.from) && legal_at(plan, m.dimension, m.to);
}

bool MoveSpace::legal(const Plan& plan, int dimension) const {
  for (int loop_place = 0; loop_place < 3 * space_.level_count(); ++loop_place)
    if (kind_of(loop_place) != LoopKind::SpatialX && !legal_at(plan, dimension, loop_place)) return false;
  return true;
}

bool MoveSpace::legal(const Plan& plan) const {
  for (int d = 0; d < space_.dimension_count; ++d)
    if (!legal(plan, d)) return false;
  return true;
}

void MoveSpace::list(const Plan& plan, std::vector<Move>& out) const {
  out.clear();
  Plan trial = plan;
  for (std::size_t d = 0; d < space_.dimension_count; ++d) {
    for (u8 from : loop_places_[d]) {
      const u32 factor = plan.factor[from][d];
      if (factor == 1) continue;
      for (u32 prime : primes_[d]) {
        if (factor % prime != 0) continue;
        for (u8 to : loop_places_[d]) {
          if (to == from) continue;
          const Move move{static_cast<u8>(d), from, to, prime};
          apply(trial, move);
          if (legal(trial, move)) out.push_back(move);
          undo(trial, move);
        }
      }
    }
  }
}

}  // namespace heliolite

#include "engine/search/moves.h"

#include "engine/space/divisors.h"

namespace heliolite {

MoveSpace::MoveSpace(const Mapspace& space) : space_(space) {
  for (int slot = 0; slot < 3 * space.level_count(); ++slot)
    for (int d = 0; d < space.dimension_count; ++d)
      if (slot_allows(slot, d)) {
        slots_.push_back(static_cast<u8>(slot));
        break;
      }
  for (int i = 0; i < space.level_count(); ++i)
    for (int v = 0; v < space.tensor_count; ++v)
      if (space.levels[static_cast<std::size_t>(i)].open >> v & 1)
        open_.emplace_back(static_cast<u8>(i), static_cast<u8>(v));
}

bool MoveSpace::slot_allows(int slot, int dimension) const {
  const LevelSpace& level = space_.levels[static_cast<std::size_t>(level_of(slot))];
  const DimensionMask allowed = kind_of(slot) == LoopKind::SpatialX   ? level.spatial.allowed_x
                                : kind_of(slot) == LoopKind::SpatialY ? level.spatial.allowed_y
                                                                      : level.temporal.allowed;
  return (allowed >> dimension & 1) != 0;
}

bool MoveSpace::legal(const Plan& plan, int dimension) const {
  const auto d = static_cast<std::size_t>(dimension);
  for (int i = 0; i < space_.level_count(); ++i) {
    const LevelSpace& level = space_.levels[static_cast<std::size_t>(i)];
    const u64 x = plan.factor[slot_of(LoopKind::SpatialX, i)][d], y = plan.factor[slot_of(LoopKind::SpatialY, i)][d];
    if (space_.one_axis_per_dimension && x > 1 && y > 1) return false;
    if (!level.spatial.factor[d].allows(x * y)) return false;
    if (!level.temporal.factor[d].allows(plan.factor[slot_of(LoopKind::Temporal, i)][d])) return false;
  }
  return true;
}

void MoveSpace::list(const Plan& plan, std::vector<Move>& out) const {
  out.clear();
  Plan trial = plan;
  for (int d = 0; d < space_.dimension_count; ++d) {
    for (u8 from : slots_) {
      const u32 factor = plan.factor[from][d];
      if (factor == 1) continue;
      for (const PrimePower& p : factorize(factor)) {
        for (u8 to : slots_) {
          if (to == from || !slot_allows(to, d)) continue;
          const Move move{static_cast<u8>(d), from, to, static_cast<u32>(p.prime)};
          apply(trial, move);
          if (legal(trial, d)) out.push_back(move);
          undo(trial, move);
        }
      }
    }
  }
}

}  // namespace heliolite

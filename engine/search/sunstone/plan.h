#pragma once
// A mapping while it is being searched: factors by place and dimension. Places (docs/glossary.md) are told
// apart by axis here: in nest order X, Y and temporal of level 0, then of level 1, and so on.
#include <array>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"

namespace heliolite {

inline constexpr int kMaxLoopPlaces = 3 * kMaxLevels;

// The number of a place, and its level and kind.
constexpr int loop_place_of(LoopKind kind, int level) { return 3 * level + static_cast<int>(kind); }
constexpr int level_of(int loop_place) { return loop_place / 3; }
constexpr LoopKind kind_of(int loop_place) { return static_cast<LoopKind>(loop_place % 3); }

// A plan; a partial one has factors 1 where nothing is decided yet.
struct Plan {
  std::array<Extents, kMaxLoopPlaces> factor;  // [place][dimension]: iterations; 1: no loop
  std::array<u16, kMaxLevels> order{};         // [level]: index into Ladder::orders(level)
  std::array<TensorMask, kMaxLevels> keep{};   // [level]: tensors kept

  Plan() {
    for (Extents& f : factor) f.fill(1);
  }
  // Iterations of a dimension over time at a level.
  u32& temporal(int level, int d) { return factor[at(loop_place_of(LoopKind::Temporal, level))][at(d)]; }
  u32 temporal(int level, int d) const { return factor[at(loop_place_of(LoopKind::Temporal, level))][at(d)]; }
  auto operator<=>(const Plan&) const = default;
};

}  // namespace heliolite

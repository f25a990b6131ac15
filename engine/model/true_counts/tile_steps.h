#pragma once
// What a step of one loop does to the tiles of one dimension (docs/cost_model.md, rule 37).
#include <vector>

#include "engine/model/compiled.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {

// Loops are named by their place in the nest.
inline constexpr u8 kNoLoop = 255;

// Which steps of the nest are looked at.
struct StepKind {
  enum : u8 { First, Loop, Every } what;
  int loop = 0;  // for Loop: the outermost temporal loop that advances; those inside it start again
};

// Tiles of one dimension that the step brings to `run` neighbouring units of the innermost fan-out, in `count`
// contexts.
struct TileStep {
  u64 count;
  u32 run;
  u32 context;  // steps with different contexts happen at other times or under other instances
  u8 mover;     // the innermost loop inside that had moved the tile; kNoLoop: none
  u32 extent;   // of the tile, and of the one that is held
  u32 held;
  i64 move;  // from the held tile to this one
  i64 low;   // where the first unit's tile begins, from where the context begins
};

// Appends the tiles of dimension d that such a step brings to the units, at the boundary inside the loops of levels >=
// `boundary`.
void add_tile_steps(const Compiled& c, const TrueNest& nest, int boundary, int d, StepKind step, const UnitDigits& unit,
                    std::vector<TileStep>& out);

}  // namespace heliolite

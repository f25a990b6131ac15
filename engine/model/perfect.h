#pragma once
// The closed form of perfect mappings in two steps: reading the loops, which tells what fits, then the cost of what
// does.
#include <array>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/nest.h"

namespace heliolite {

// What a mapping costs.
struct Cost {
  Energy energy;   // of the whole run, all instances together
  u64 cycles = 0;  // of the whole run
  auto operator<=>(const Cost&) const = default;
};

// Why a mapping cannot run. Rejection is a value: searches count it, the command line prints it.
enum class Verdict : u8 { Fits, OverCapacity, OverFanoutX, OverFanoutY };

// The answer to: does the mapping fit, and what does it cost?
struct Evaluation {
  Verdict verdict = Verdict::Fits;
  u8 level = 0;  // where it does not fit
  Cost cost;     // zero unless it fits
};

// [level]: tensors that it keeps.
using KeepMasks = std::array<TensorMask, kMaxLevels>;

// [tensor][level]: box of the tensor's tile at the level. Only boxes that counts need are written: of kept tiles, and
// of all tiles below a network that costs energy.
using Boxes = std::array<std::array<Box, kMaxLevels>, kMaxTensors>;

// Writes the boxes of level i for its tile and says whether they and the level's fan-out fit (rules 5, 44).
inline Verdict measure(const Compiled& c, const Nest& nest, int i, TensorMask keep, const Extents& tile, Boxes& boxes) {
  const CompiledLevel& level = c.level[i];
  if (nest.product_x[i] > level.fanout_x) return Verdict::OverFanoutX;
  if (nest.product_y[i] > level.fanout_y) return Verdict::OverFanoutY;
  const bool outermost = i + 1 == c.level_count;
  if (outermost && level.holds_all()) return Verdict::Fits;  // nobody asks for the whole tensors
  u64 used = 0;
  for (const int v : bits(keep)) {
    Box& box = boxes[v][i];
    box.measure(c.tensor[v], tile);
    used += level.taken(v, box.words);
  }
  if (used > level.room) return Verdict::OverCapacity;
  if (!outermost && c.level[i + 1].network_costs)
    for (int v = 0; v < c.tensor_count; ++v)
      if (!contains(keep, v)) boxes[v][i].measure(c.tensor[v], tile);
  return Verdict::Fits;
}

// Energy and cycles of a nest that fits (rules 16 to 28). `outside`: where the tiles of each level stand (rule 42).
Cost perfect_cost(const Compiled& c, const Nest& nest, const KeepMasks& keep, const Boxes& boxes,
                  const StoreDepths& outside = kEven);

// Whether perfect loops (as Nest::read() takes them) fit, and their cost if they do. Allocates nothing.
template <class Loops>
Evaluation evaluate_perfect(const Compiled& c, Loops loops, const KeepMasks& keep) {
  Nest nest;
  Boxes boxes;
  Evaluation out;
  const bool fits = nest.read(c.dimension_count, c.level_count, loops, [&](int i, const Extents& tile) {
    out.verdict = measure(c, nest, i, keep[i], tile, boxes);
    out.level = static_cast<u8>(i);
    return out.verdict == Verdict::Fits;
  });
  if (!fits) return out;
  out.level = 0;
  out.cost = perfect_cost(c, nest, keep, boxes);
  return out;
}

// The same for a perfect mapping whose tiles may be uneven.
Evaluation evaluate_uneven(const Compiled& c, const Mapping& mapping);

}  // namespace heliolite

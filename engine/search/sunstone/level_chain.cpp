#include "engine/search/sunstone/level_chain.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// Whether `outer` and what is inside it down to the level `first`, which hold `held` together, are buffers side by side
// for tensors of their own: one split level with one tile, whose loops stand at `first`.
bool side_by_side(const LevelSpace& first, TensorMask held, const LevelSpace& outer) {
  if ((held & (outer.keep | outer.open)) != 0 || (outer.temporal.allowed & ~first.temporal.allowed) != 0) return false;
  const FactorLimits& limits = outer.temporal.factor;
  return std::all_of(limits.begin(), limits.end(), [](const FactorLimit& f) { return f.min <= 1; });
}

}  // namespace

std::vector<ChainStep> level_chain(const Mapspace& space) {
  std::vector<ChainStep> out;
  TensorMask held = 0;  // by the levels of the last step
  for (int i = 0; i < space.level_count(); ++i) {
    const LevelSpace& level = space.levels[at(i)];
    if (level.spatial.exists()) {
      if (out.empty() || out.back().fanout >= 0) out.emplace_back();
      out.back().fanout = i;
    }
    const bool outermost = i + 1 == space.level_count();
    if (level.temporal.allowed == 0 && !outermost) continue;
    const bool open = !out.empty() && out.back().level >= 0 && out.back().fanout < 0;
    const bool joins = open && !outermost && side_by_side(space.levels[at(out.back().level)], held, level);
    if (!joins) out.push_back({.level = i});
    held = static_cast<TensorMask>((joins ? held : 0) | level.keep | level.open);
  }
  // Of a fan-out without loops inside it the level right inside it prices the step before.
  for (std::size_t k = 0; k + 1 < out.size(); ++k)
    out[k].outer = out[k + 1].level >= 0 ? out[k + 1].level : out[k + 1].fanout - 1;
  return out;
}

}  // namespace heliolite

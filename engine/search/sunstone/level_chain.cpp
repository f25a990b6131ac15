#include "engine/search/sunstone/level_chain.h"

#include "engine/base/integers.h"

namespace heliolite {

std::vector<ChainStep> level_chain(const Mapspace& space) {
  std::vector<ChainStep> out;
  for (int i = 0; i < space.level_count(); ++i) {
    const LevelSpace& level = space.levels[at(i)];
    if (level.spatial.exists()) {
      if (out.empty() || out.back().fanout >= 0) out.emplace_back();
      out.back().fanout = i;
    }
    if (level.temporal.allowed != 0 || i + 1 == space.level_count()) out.push_back({.level = i});
  }
  // Of a fan-out without loops inside it the level right inside it prices the step before.
  for (std::size_t k = 0; k + 1 < out.size(); ++k)
    out[k].outer = out[k + 1].level >= 0 ? out[k + 1].level : out[k + 1].fanout - 1;
  return out;
}

}  // namespace heliolite

#include "engine/bounds/curve/orojenesis_levels.h"

#include "engine/base/integers.h"
#include "engine/model/keep.h"

namespace heliolite {

std::vector<Boundary> boundaries(const Architecture& architecture, const Workload& workload) {
  std::vector<Boundary> all;
  std::optional<u64> stored = 0;
  TensorMask must = 0;  // tensors that every mapping stores inside
  const u64 units = architecture.compute.instances;
  for (std::size_t i = 0; i + 1 < architecture.levels.size(); ++i) {
    const StorageLevel& level = architecture.levels[i];
    const std::optional<u64> words = level.capacity_words();
    stored = stored && words ? std::optional(*stored + *words * level.instances) : std::nullopt;
    u64 open = 0;
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      if (keep_choice(level.keep, workload, static_cast<int>(v)) == KeepChoice::Keep)
        must |= static_cast<TensorMask>(1u << v);
      if (!contains(must, v)) ++open;
    }
    all.push_back({level.name, stored});
    if (all.back().capacity_words && units > 1) *all.back().capacity_words += open * units;
  }
  return all;
}

std::vector<Crossing> crossings(const Breakdown& breakdown) {
  const u64 operands = breakdown.compute.utilized > 1 ? breakdown.compute.utilized : 0;
  std::vector<Crossing> all;
  const std::size_t levels = breakdown.level.size(), tensors = breakdown.level.front().tensor.size();
  std::vector<u64> held(tensors, operands);
  for (std::size_t i = 0; i + 1 < levels; ++i) {
    Crossing crossing;
    for (std::size_t v = 0; v < tensors; ++v) {
      const TensorTraffic& here = breakdown.level[i].tensor[v];
      if (here.kept) held[v] = here.tile_words * here.instances;
      crossing.words += held[v];
      std::size_t outside = i + 1;
      while (!breakdown.level[outside].tensor[v].kept) ++outside;  // the outermost level keeps everything
      const TensorTraffic& store = breakdown.level[outside].tensor[v];
      crossing.accesses += static_cast<u64>(store.reads + store.updates) * store.instances;
    }
    all.push_back(crossing);
  }
  return all;
}

}  // namespace heliolite

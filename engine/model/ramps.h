#pragma once
// How long the first tiles take on their way in, and the last outputs on their way out (docs/cost_model.md, rule 46):
// what a machine with `latency: ramps` counts beside the steady state.
#include <algorithm>
#include <array>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "engine/model/nest.h"

namespace heliolite {

// The ramps of a mapping as they are summed up, from the compute units out: of each tensor what the tile that was kept
// last takes. Whole numbers, in doubles: searches keep them among their own. Nothing grows less by what follows.
struct RampSums {
  // [tensor]: words of the first tiles of all instances that one instance of the next level out feeds; of an output, of
  // their last tiles. 0: the compute units take the words one by one.
  std::array<double, kMaxTensors> words{};
  // [tensor]: from when the level of this tile has its first tiles until the compute units begin. Of an output: from
  // their last step until its tile has reached that level.
  std::array<double, kMaxTensors> cycles{};

  // Receivers of the fan-out outside the tile that want different words (rule 10).
  void spread(int v, double receivers) { words[v] *= receivers; }
  // Level i serves these tensors' tiles inside.
  void arrive(const Compiled& c, int i, TensorMask kept);
  // A level keeps the tensor in a tile of `words` words.
  void hold(int v, u64 tile_words) { words[v] = static_cast<double>(tile_words); }

  // The ramps so far, if `served(v)`, the level that serves tensor v next, has no fan-out to its tile: the least that
  // the mappings have which begin like this. All levels but those of the tensors that are kept last are there.
  template <class Served>
  double least(const Compiled& c, Served served) const {
    RampSums rest = *this;
    std::array<TensorMask, kMaxLevels> kept{};
    for (int v = 0; v < c.tensor_count; ++v) kept[served(v)] |= static_cast<TensorMask>(1u << v);
    for (int i = 0; i < c.level_count; ++i)
      if (kept[i] != 0) rest.arrive(c, i, kept[i]);
    return rest.sum(c);
  }
  double sum(const Compiled& c) const { return most(c, false) + most(c, true); }
  Ramps total(const Compiled& c) const { return {saturated(most(c, false)), saturated(most(c, true))}; }

 private:
  double most(const Compiled& c, bool outputs) const {
    double out = 0;
    for (int v = 0; v < c.tensor_count; ++v)
      if (c.tensor[v].is_output == outputs) out = std::max(out, cycles[v]);
    return out;
  }
};

// Those of a nest of any factors, none on machines that do not count them. Where factors do not divide, the largest
// tile counts, first or not.
Ramps ramps_of(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside = kEven);
Ramps ramps_of(const Compiled& c, const Mapping& mapping);

}  // namespace heliolite

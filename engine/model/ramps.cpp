#include "engine/model/ramps.h"

#include <cmath>

#include "engine/model/cost_of_counts.h"
#include "engine/model/multicast.h"

namespace heliolite {

namespace {

// Cycles in which an instance of the level sends (reads) or takes in (writes) `parts` parts of words, rounded up.
double moving_cycles(const CompiledLevel& level, double reads, double writes) {
  constexpr double kCountable = 0x1p63;
  if (level.timeloop_cycles || reads + writes >= kCountable) return std::ceil(port_cycles(level, reads, writes));
  return static_cast<double>(exact_port_cycles(level, static_cast<u64>(reads), static_cast<u64>(writes)));
}

// Words of the tile of these loops, no more of a dimension than there is.
u64 tile_words(const Compiled& c, const CompiledTensor& t, const Nest& nest, LoopMask inside) {
  return box_words(t, [&](u8 d) { return std::min(nest.extent(d, inside), c.size[d]); });
}

}  // namespace

void RampSums::arrive(const Compiled& c, int i, TensorMask kept) {
  const CompiledLevel& level = c.level[i];
  const auto parts = [&](int v) { return words[v] * static_cast<double>(level.taken(v, 1)); };
  double sent = 0, longest = 0;
  for (const int v : bits(kept)) {
    if (c.tensor[v].is_output) continue;
    sent += parts(v);
    longest = std::max(longest, cycles[v]);
  }
  const double ready = longest + moving_cycles(level, sent, 0);
  for (const int v : bits(kept)) {
    if (c.tensor[v].is_output) cycles[v] += moving_cycles(level, 0, parts(v));
    else cycles[v] = ready;
  }
}

Ramps ramps_of(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside) {
  if (!c.ramps) return {};
  RampSums sums;
  for (int i = 0; i < c.level_count; ++i) {
    if (nest.has_spatial(i))
      for (int v = 0; v < c.tensor_count; ++v)
        sums.spread(v, static_cast<double>(distinct_offsets(c.tensor[v], nest, i, c.level[i])));
    sums.arrive(c, i, keep[i]);
    for (const int v : bits(keep[i])) sums.hold(v, tile_words(c, c.tensor[v], nest, nest.inside(i, outside[i][v])));
  }
  return sums.total(c);
}

Ramps ramps_of(const Compiled& c, const Mapping& mapping) {
  if (!c.ramps) return {};
  return ramps_of(c, Nest(c, mapping), mapping.keep, mapping.outside);
}

}  // namespace heliolite

#include "engine/model/true_counts/floor.h"

#include <algorithm>
#include <cassert>

#include "engine/base/integers.h"
#include "engine/model/true_counts/nest.h"
#include "engine/model/true_counts/traffic.h"

namespace heliolite {
namespace {

// The known loops, then one temporal loop for what each dimension has left, outermost those that move the tensor: what
// is outside costs this tensor the least.
Mapping completed(const Compiled& c, const Mapping& inner, int level, DimensionMask outermost) {
  Mapping out = inner;
  out.loop_count = 0;
  std::array<u32, kMaxDimensions> left = c.size;
  for (const Loop& loop : inner.loops()) {
    if (loop.level > level) break;
    u32& rest = left[loop.dimension];
    const u32 end = std::min(loop.end, rest);
    out.add(loop.kind, loop.level, loop.dimension, end);
    rest = (rest - 1) / end + 1;
  }
  for (const bool moving : {false, true})
    for (int d = 0; d < c.dimension_count; ++d)
      if (contains(outermost, d) == moving) out.add(LoopKind::Temporal, c.level_count - 1, d, left[at(d)]);
  out.level_count = static_cast<u8>(c.level_count);
  return out;
}

// Instances of the level that the machine has room for.
u64 instances_outside(const Compiled& c, int level) {
  u64 n = 1;
  for (int i = level + 1; i < c.level_count; ++i) n *= c.level[at(i)].fanout_x * c.level[at(i)].fanout_y;
  return n;
}

// Words that a tensor with sliding ranks has at least: as many as its longest dimension in each rank.
u64 different_words(const Compiled& c, const CompiledTensor& t) {
  u64 words = 1;
  DimensionMask counted = 0;
  for (int r = 0; r < t.rank_count; ++r) {
    int longest = -1;
    for (const int d : bits(t.indexing))
      for (int k = t.first_of[at(d)]; k < t.first_of[at(d) + 1]; ++k)
        if (t.by_dimension[at(k)].rank == r && !contains(counted, d) &&
            (longest < 0 || c.size[at(d)] > c.size[at(longest)]))
          longest = d;
    if (longest < 0) continue;
    counted = static_cast<DimensionMask>(counted | dimension_bit(longest));
    words *= c.size[at(longest)];
  }
  return words;
}

Accesses<u64> words_at(const Compiled& c, const Mapping& inner, int level, int v) {
  const CompiledTensor& t = c.tensor[at(v)];
  const bool outermost = level + 1 == c.level_count;
  int boundary = level;
  while (boundary > 0 && !inner.keeps(boundary - 1, v)) --boundary;
  if (t.sliding) {
    const u64 words = different_words(c, t);
    return {words, outermost ? 0 : words, 0};
  }
  const TrueNest nest(c, completed(c, inner, level, t.indexing));
  const UnitDigits everywhere{};
  TrueStream stream(c, v, nest, everywhere);
  stream.start(boundary);
  const u64 accesses = stream.accesses(level);
  u64 crossing = 0;
  if (!outermost) {
    stream.start(level + 1);
    crossing = stream.crossing();
  }
  if (!t.is_output) return {accesses, crossing, 0};
  // More instances outside may own, and so not read, more first words; and what crosses into them may be first, all of
  // it.
  u64 first = 1, positions = 1;
  for (int d = 0; d < c.dimension_count; ++d) {
    if (contains(t.indexing, d)) first *= c.size[at(d)];
    else positions *= (c.size[at(d)] - 1) / nest.tile[at(level) + 1][at(d)] + 1;
  }
  first *= std::min(positions, instances_outside(c, level));
  return {accesses - std::min(accesses, first), 0, accesses};
}

}  // namespace

TrueFloor true_floor(const Compiled& c, const Mapping& inner, int level) {
  assert(level < c.level_count);
  TrueFloor out;
  for (const int v : bits(inner.keep[at(level)])) out.words[at(v)] = words_at(c, inner, level, v);
  // Steps of all instances of the level together, among as many instances as there are.
  const TrueNest nest(c, completed(c, inner, level, 0));
  out.steps = ceil_div(nest.steps, instances_outside(c, level));
  return out;
}

}  // namespace heliolite

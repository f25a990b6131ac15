#include "engine/search/exact/spatial_choice.h"

#include <algorithm>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/multicast.h"
#include "engine/model/nest.h"
#include "engine/model/temporal_traffic.h"
#include "engine/space/footprint.h"

namespace heliolite {
namespace {

// Whether some of the dimensions are unrolled.
bool unrolls(const Extents& factor, DimensionMask dimensions) {
  for (const int d : bits(dimensions))
    if (factor[d] > 1) return true;
  return false;
}

// Whether receivers may overlap: two dimensions of one rank are unrolled.
bool receivers_overlap(const CompiledTensor& t, const Extents& factor) {
  if (!t.sliding && !t.entangled) return false;
  if (t.entangled) return true;
  for (int r = 0; r < t.rank_count; ++r) {
    int unrolled = 0;
    for (const int d : bits(t.sharing[r]))
      if (factor[d] > 1) ++unrolled;
    if (unrolled > 1) return true;
  }
  return false;
}

// Of the tensors whose hops do not depend on the tile.
void add_hops(const LayerProblem& problem, int level, SpatialChoice& s) {
  const Extents unit = unit_extents();
  for (int v = 0; v < problem.model.compiled().tensor_count; ++v)
    if (!contains(s.slides, v)) s.hop_units[at(v)] = hop_units(problem, level, s, v, unit);
}

}  // namespace

SpatialChoice make_spatial_choice(const LayerProblem& problem, int level, const LatticePoint& factor, const Extents& x,
                                  const Extents& y) {
  const Compiled& c = problem.model.compiled();
  SpatialChoice out;
  out.factor = factor;
  out.x = x;
  out.y = y;
  out.spread.fill(1);
  for (int d = 0; d < c.dimension_count; ++d) {
    out.instances *= factor.extent[d];
    for (int v = 0; v < c.tensor_count; ++v)
      if (contains(c.tensor[v].indexing, d)) out.spread[at(v)] *= factor.extent[d];
  }
  for (int v = 0; v < c.tensor_count; ++v)
    if (receivers_overlap(c.tensor[v], factor.extent)) out.slides |= static_cast<TensorMask>(1u << v);
  for (const int v : bits(c.level[level].linked))
    if (level == 0 ? out.instances > 1 : unrolls(factor.extent, c.tensor[v].sharing_any))
      out.linked |= static_cast<TensorMask>(1u << v);
  out.slides |= out.linked;
  for (int v = 0; v < c.tensor_count; ++v) {
    const CompiledTensor& t = c.tensor[v];
    if (t.is_output)
      out.reducing = t.term_count != 0 || t.entangled ? out.instances : out.instances / out.spread[at(v)];
  }
  if (c.level[level].hops_cost) add_hops(problem, level, out);
  return out;
}

double least_spread(const CompiledTensor& t, const SpatialChoice& s) {
  double receivers = 1;
  if (t.entangled) {
    for (const int d : bits(t.indexing)) receivers = std::max<double>(receivers, s.factor.extent[d]);
    return receivers / s.instances;
  }
  for (int r = 0; r < t.rank_count; ++r) {
    double most = 1;
    for (int k = 0; k < t.first_of[kMaxDimensions]; ++k)
      if (t.by_dimension[k].rank == r) most = std::max<double>(most, s.factor.extent[t.by_dimension[k].dimension]);
    receivers *= most;
  }
  return receivers / s.instances;
}

double least_linked_spread(const CompiledTensor& t, const SpatialChoice& s) {
  if (t.entangled) return 1 / s.instances;
  double longest = 1;
  for (int r = 0; r < t.rank_count; ++r)
    for (const int d : bits(t.sharing[r])) longest = std::max<double>(longest, s.factor.extent[at(d)]);
  return least_spread(t, s) / longest;
}

double hop_units(const LayerProblem& problem, int level, const SpatialChoice& choice, int v, const Extents& tile) {
  const Compiled& c = problem.model.compiled();
  // Tiles do not say which words these are, or that they are paid.
  if (!carries_tiles(c, level, v) || !all_words_cross(c, level, v)) return 0;
  Mapping mapping;
  mapping.level_count = static_cast<u8>(c.level_count);
  for (int d = 0; d < c.dimension_count; ++d)
    if (tile[d] > 1) mapping.add(LoopKind::Temporal, 0, d, tile[d]);
  for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
    for (u8 d : canonical_order(problem.space, problem.space.levels[at(level)].spatial.order))
      mapping.add(axis, level, d, (axis == LoopKind::SpatialX ? choice.x : choice.y)[d]);
  const Nest nest(c, mapping);
  thread_local std::vector<ReceiverGroups> groups;
  receiver_groups(c.tensor[v], nest, level, c.level[level], groups);
  u64 half_hops = 0;
  for (const ReceiverGroups& g : groups) half_hops += g.half_hops;
  return 0.5 * static_cast<double>(half_hops) * static_cast<double>(c.level[level].units[at(v)].hop);
}

double distinct_receivers(const CompiledTensor& t, const SpatialChoice& choice, const Extents& tile) {
  // The loops over X and Y of a dimension are one loop whose step is the tile.
  if (!t.entangled) {
    double n = 1;
    bool closed = true;
    for (int r = 0; r < t.rank_count && closed; ++r) {
      std::array<u64, 2> step{1, 1}, ends{1, 1};
      int count = 0;
      for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
        const CompiledTerm& term = t.by_dimension[k];
        if (term.rank != r || choice.factor.extent[term.dimension] == 1) continue;
        if (count == 2) {
          closed = false;
          break;
        }
        step[count] = static_cast<u64>(term.coefficient) * tile[term.dimension];
        ends[count++] = choice.factor.extent[term.dimension];
      }
      n *= static_cast<double>(count < 2 ? ends[0] : distinct_sums(step[0], ends[0], step[1], ends[1]));
    }
    if (closed) return n;
  }
  // By listing the offsets.
  std::vector<std::array<i64, kMaxRanks>> offsets{{}};
  for (int d = 0; d < kMaxDimensions; ++d) {
    if (!contains(t.indexing, d) || choice.factor.extent[d] == 1) continue;
    const NestLoop loop{choice.factor.extent[d], tile[d], static_cast<u8>(d)};
    detail::TileMove move;
    move.add(t, loop);
    const std::size_t before = offsets.size();
    for (u64 e = 1; e < loop.end; ++e)
      for (std::size_t k = 0; k < before; ++k) {
        std::array<i64, kMaxRanks> point = offsets[k];
        for (int r = 0; r < t.rank_count; ++r) point[at(r)] += static_cast<i64>(e) * move.by[at(r)];
        offsets.push_back(point);
      }
  }
  std::sort(offsets.begin(), offsets.end());
  return static_cast<double>(std::unique(offsets.begin(), offsets.end()) - offsets.begin());
}

}  // namespace heliolite

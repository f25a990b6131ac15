#include "engine/execution/tiled_nest.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// Variables are the problem's dimensions: the workload's, in place, and the remainders of those taken apart behind.
std::vector<LoopVariable> variables_of(const Workload& workload, const TilingProblem& problem) {
  std::vector<LoopVariable> variables;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
    const u32 factor = problem.apart.empty() ? 1 : problem.apart[d].factor;
    variables.push_back({problem.names[d], static_cast<int>(d), factor});
  }
  for (std::size_t v = variables.size(); v < at(problem.dimensions); ++v) {
    const auto of = std::ranges::find(problem.apart, static_cast<int>(v), &TilingProblem::Apart::remainder);
    variables.push_back({problem.names[v], static_cast<int>(of - problem.apart.begin()), 1});
  }
  return variables;
}

// All variables, outermost first: those that `inner` (innermost first) does not name, then its own.
std::vector<u8> outermost_first(const std::vector<u8>& inner, std::size_t variables) {
  std::vector<u8> order;
  for (std::size_t v = 0; v < variables; ++v)
    if (std::ranges::find(inner, static_cast<u8>(v)) == inner.end()) order.push_back(static_cast<u8>(v));
  order.insert(order.end(), inner.rbegin(), inner.rend());
  return order;
}

// The tensors that hold the window which a loop runs over.
TensorMask holders(const TileOrder& order, std::size_t tensors, u8 variable) {
  TensorMask mask = 0;
  for (std::size_t v = 0; v < tensors; ++v)
    if (contains(order.reuse[v].held, variable)) mask |= static_cast<TensorMask>(1U << v);
  return mask;
}

// Adds the loops over tiles of one cache in boxes of `outer`, which become the tiles.
void add_tile_loops(LoopNestPart& part, const TiledLevel& tile, std::size_t tensors, u8 level,
                    std::vector<u32>& outer) {
  for (const u8 v : outermost_first(tile.order.inner, outer.size())) {
    if (tile.tile[v] >= outer[v]) continue;
    part.loops.push_back({v, tile.tile[v], level, false, holders(tile.order, tensors, v)});
    outer[v] = tile.tile[v];
  }
}

std::vector<u32> extents(const TilingProblem& problem) {
  return {problem.size.begin(), problem.size.begin() + problem.dimensions};
}

}  // namespace

LoopNest tiled_nest(const Workload& workload, const PartTiling& tiling) {
  const TilingProblem& first = tiling.parts.front().problem;
  LoopNest nest = make_nest(workload, variables_of(workload, first));
  nest.guarded = !first.apart.empty();
  const std::vector<u8> points = point_order(nest);
  for (const TilingPart& p : tiling.parts) {
    LoopNestPart part;
    for (std::size_t v = 0; v < nest.variables.size(); ++v)
      part.range.push_back({p.origin[v], p.origin[v] + p.problem.size[v]});
    std::vector<u32> outer = extents(p.problem);
    add_tile_loops(part, p.level, workload.tensors.size(), 1, outer);
    add_point_loops(part, points, outer);
    nest.parts.push_back(std::move(part));
  }
  return nest;
}

LoopNest tiled_nest(const Workload& workload, const TilingProblem& problem, std::span<const TiledLevel> tiling) {
  LoopNest nest = make_nest(workload, variables_of(workload, problem));
  nest.guarded = !problem.apart.empty();
  LoopNestPart part;
  std::vector<u32> outer = extents(problem);
  for (const u32 size : outer) part.range.push_back({0, size});
  for (std::size_t level = tiling.size(); level-- > 0;)
    add_tile_loops(part, tiling[level], workload.tensors.size(), static_cast<u8>(level + 1), outer);
  add_point_loops(part, point_order(nest), outer);
  nest.parts.push_back(std::move(part));
  return nest;
}

}  // namespace heliolite

#include "engine/execution/tiled_nest.h"

#include <fmt/format.h>
#include <algorithm>
#include <unordered_map>

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

namespace {

constexpr u64 kMostMappedTouches = 1'000'000'000;

// The instances of one level, each with the tile of one tensor.
class LevelStore {
 public:
  LevelStore(u8 level, std::size_t access, bool is_output, const LoopNest& nest)
      : level_(level), access_(access), is_output_(is_output), index_(nest.parts.front().loops.size(), 0) {
    u64 weight = 1;
    for (const BoxLoop& l : nest.parts.front().loops) {
      const bool above = l.level > level;
      weight_.push_back(above && l.parallel ? weight : 0);
      turns_.push_back(above && !l.parallel);
      const LoopRange& range = nest.parts.front().range[l.variable];
      if (above && l.parallel) weight *= ceil_div(range.end - range.begin, l.step);
    }
  }

  void advance(std::size_t loop, u32 index) {
    if (turns_[loop]) ++steps_;
    if (weight_[loop] == 0) return;
    instance_ += weight_[loop] * (u64{index} - index_[loop]);
    index_[loop] = index;
  }

  void visit(const TouchedWords& words) {
    Instance& instance = instances_[instance_];
    if (instance.step != steps_) {
      instance.step = steps_;
      ++instance.tile;
    }
    u32& last_tile = instance.last_tile[words[access_]];
    if (last_tile == instance.tile) return;
    if (last_tile == 0 || last_tile + 1 != instance.tile) {
      fills_ += !is_output_ || last_tile != 0 ? 1 : 0;
      drains_ += is_output_ ? 1 : 0;
    }
    last_tile = instance.tile;
  }

  ExecutedTensor answer(const LoopNest& nest) const { return {level_, nest.accesses[access_].tensor, fills_, drains_}; }

 private:
  struct Instance {
    u64 step = ~u64{0};
    u32 tile = 0;                            // the number of the present one, from 1
    std::unordered_map<u64, u32> last_tile;  // [word]: the last tile that touched it
  };

  u8 level_;
  std::size_t access_;
  bool is_output_;
  std::vector<u64> weight_;  // [loop]: distance of neighbouring instances; 0: not above this level, or in time
  std::vector<bool> turns_;  // [loop]: whether each of its iterations has another tile
  std::vector<u32> index_;   // [loop]: iterations that stand in instance_
  u64 instance_ = 0, steps_ = 0;
  std::unordered_map<u64, Instance> instances_;
  u64 fills_ = 0, drains_ = 0;
};

struct Machine {
  std::vector<LevelStore> stores;

  void advance(std::size_t loop, u32 index) {
    for (LevelStore& s : stores) s.advance(loop, index);
  }
  void visit(const TouchedWords& words) {
    for (LevelStore& s : stores) s.visit(words);
  }
};

u64 stores_of(const Workload& workload, const Mapping& mapping) {
  u64 stores = 0;
  for (int i = 0; i + 1 < mapping.level_count; ++i)
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) stores += mapping.keeps(i, static_cast<int>(v)) ? 1 : 0;
  return stores;
}

}  // namespace

LoopNest mapped_nest(const Workload& workload, const Architecture& architecture, const Mapping& mapping) {
  LoopNest nest = make_nest(workload);
  for (const StorageLevel& level : architecture.levels) nest.levels.push_back(level.name);
  LoopNestPart part;
  std::vector<u64> tile(workload.dimensions.size(), 1);
  for (const Dimension& d : workload.dimensions) part.range.push_back({0, static_cast<u32>(d.size)});
  for (const Loop& l : mapping.loops()) {
    const u64 inside = tile[l.dimension];
    if (inside >= workload.dimensions[l.dimension].size) continue;
    part.loops.push_back({l.dimension, static_cast<u32>(inside), l.level, l.is_spatial(), 0});
    tile[l.dimension] = inside * l.end;
  }
  std::reverse(part.loops.begin(), part.loops.end());
  nest.parts.push_back(std::move(part));
  return nest;
}

Diagnostics check_execution(const Workload& workload, const Mapping& mapping) {
  if (!mapping.is_even())
    return {{"", 0, "-m", "tiles of tensors with places of their own (--tiles uneven) are not executed"}};
  const double touches = static_cast<double>(workload.macs()) * static_cast<double>(stores_of(workload, mapping));
  if (touches > static_cast<double>(kMostMappedTouches))
    return {{"", 0, workload.name,
             fmt::format("{:.3g} touches of all levels are too many to be executed; at most {:.3g}", touches,
                         static_cast<double>(kMostMappedTouches))}};
  return {};
}

std::vector<ExecutedTensor> execute_mapping(const Workload& workload, const Architecture& architecture,
                                            const Mapping& mapping) {
  const LoopNest nest = mapped_nest(workload, architecture, mapping);
  Machine machine;
  // Nothing lies outside of the outermost level.
  for (int i = 0; i + 1 < mapping.level_count; ++i)
    for (std::size_t a = 0; a < nest.accesses.size(); ++a)
      if (mapping.keeps(i, nest.accesses[a].tensor))
        machine.stores.emplace_back(static_cast<u8>(i), a, nest.accesses[a].is_output, nest);
  walk(nest, machine);
  std::vector<ExecutedTensor> answers;
  for (const LevelStore& s : machine.stores) answers.push_back(s.answer(nest));
  std::ranges::stable_sort(answers, {}, [](const ExecutedTensor& t) { return std::pair(t.level, t.tensor); });
  return answers;
}

}  // namespace heliolite

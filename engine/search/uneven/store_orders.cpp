#include "engine/search/uneven/store_orders.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// Whether the limits of a level's loops say no more than what the other places leave of each dimension.
bool loops_are_free(const Mapspace& space, int level) {
  const TemporalSpace& own = space.levels[at(level)].temporal;
  if (own.allowed == 0 || own.order.count != 0) return false;
  for (std::size_t d = 0; d < space.dimension_count; ++d) {
    u64 elsewhere = 1;  // what other places must have of the dimension
    for (int i = 0; i < space.level_count(); ++i) {
      elsewhere *= space.levels[at(i)].spatial.factor[d].min;
      if (i != level) elsewhere *= space.levels[at(i)].temporal.factor[d].min;
    }
    const FactorLimit& limit = own.factor[d];
    if (limit.min != 1 || (limit.max != 1 && limit.max < space.size[d] / elsewhere)) return false;
  }
  return true;
}

// The orders of single tensors, the lowest first.
std::vector<std::vector<TensorMask>> orders_of(TensorMask keep) {
  std::vector<TensorMask> stores;
  for (const int v : bits(keep)) stores.push_back(static_cast<TensorMask>(1u << v));
  std::vector<std::vector<TensorMask>> out;
  do out.push_back(stores);
  while (std::next_permutation(stores.begin(), stores.end()));
  return out;
}

}  // namespace

std::vector<bool> uneven_levels(const LayerProblem& problem) {
  const Compiled& c = problem.model.compiled();
  std::vector<bool> out(at(c.level_count), false);
  for (int i = 0; i + 1 < c.level_count; ++i) {
    out[at(i)] = loops_are_free(problem.space, i);
    // Interconnects send on what the level is asked for.
    for (int k = i + 1; k < c.level_count; ++k) {
      if (c.level[at(k)].hops_cost || c.level[at(k)].routers_cost) out[at(i)] = false;
      if (!c.level[at(k)].is_interconnect) break;
    }
  }
  return out;
}

std::optional<std::vector<StoreOrder>> store_orders(const LayerProblem& problem, std::size_t most) {
  const std::vector<bool> uneven = uneven_levels(problem);
  std::vector<StoreOrder> out;
  for (const KeepMasks& keep : problem.keep_choices(most)) {
    std::vector<StoreOrder> longer{{keep, {}}};
    std::size_t levels = 0;
    for (std::size_t i = 0; i < uneven.size(); ++i) {
      const bool splits = uneven[i] && std::popcount(keep[i]) > 1;
      const auto orders = splits ? orders_of(keep[i]) : std::vector<std::vector<TensorMask>>{{keep[i]}};
      levels += orders.front().size();
      if (longer.size() * orders.size() > most) return std::nullopt;
      std::vector<StoreOrder> next;
      for (const StoreOrder& order : longer)
        for (const auto& parts : orders) {
          next.push_back(order);
          next.back().parts.push_back(parts);
        }
      longer = std::move(next);
    }
    if (levels > kMaxLevels || out.size() + longer.size() > most) return std::nullopt;
    out.insert(out.end(), longer.begin(), longer.end());
  }
  if (out.empty()) return std::nullopt;
  return out;
}

LayerProblem stacked_problem(const LayerProblem& problem, const StoreOrder& order) {
  auto stack = std::make_shared<const StoreStack>(stack_stores(problem.architecture, order.parts, problem.workload));
  const auto all = static_cast<TensorMask>((1u << problem.workload.tensors.size()) - 1);
  Mapspace space = problem.space;
  space.levels.clear(), space.level_names.clear();
  for (std::size_t i = 0; i < order.parts.size(); ++i)
    for (std::size_t k = 0; k < order.parts[i].size(); ++k) {
      LevelSpace level = problem.space.levels[i];
      if (k > 0) level.spatial = {};
      level.keep = order.parts[i][k];
      level.bypass = static_cast<TensorMask>(all & ~level.keep);
      level.open = 0;
      space.level_names.push_back(stack->stacked.levels[space.levels.size()].name);
      space.levels.push_back(level);
    }
  CostModel model(problem.workload, stack->stacked);
  return {problem.workload, stack->stacked, problem.options, std::move(space), std::move(model), nullptr, {},
          std::move(stack), problem.model};
}

}  // namespace heliolite

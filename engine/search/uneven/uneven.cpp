#include "engine/search/uneven/uneven.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/exact/exact.h"

namespace heliolite {
namespace {

// Whether the limits of a level's loops say no more than what the other places leave of each dimension.
bool loops_are_free(const Mapspace& space, int level) {
  const TemporalSpace& own = space.levels[level].temporal;
  if (own.allowed == 0 || own.order.count != 0) return false;
  for (std::size_t d = 0; d < space.dimension_count; ++d) {
    u64 elsewhere = 1;  // what other places must have of the dimension
    for (int i = 0; i < space.level_count(); ++i) {
      elsewhere *= space.levels[i].spatial.factor[d].min;
      if (i != level) elsewhere *= space.levels[i].temporal.factor[d].min;
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

std::vector<bool> uneven_levels(const Mapspace& space, const Compiled& c) {
  std::vector<bool> out(at(c.level_count), false);
  for (int i = 0; i + 1 < c.level_count; ++i) {
    out[i] = loops_are_free(space, i);
    // Interconnects send on what the level is asked for.
    for (int k = i + 1; k < c.level_count; ++k) {
      if (c.level[k].hops_cost || c.level[k].routers_cost) out[i] = false;
      if (!c.level[k].is_interconnect) break;
    }
  }
  return out;
}

std::optional<std::vector<StoreOrder>> store_orders(const LayerProblem& problem, std::size_t most) {
  const std::vector<bool> uneven = uneven_levels(problem.space, problem.model.compiled());
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

namespace {

// Evaluations that each order of the stores gets in the first rounds, which make the incumbent better for all orders
// before one of them is searched to the end. In further rounds each gets a share of what the budget has left.
constexpr std::array<u64, 2> kFirstRounds{2'048, 16'384};

class Uneven {
 public:
  Uneven(const LayerProblem& problem, const LayerAnswer& even, const SearchBudget& budget)
      : problem_(problem), budget_(budget), answer_(even) {
    answer_.complete = false;
    answer_.lower_bound.reset();
    answer_.by_whole_model.reset();
    answer_.alternatives = even.mappings();
    answer_.end = SearchEnd::Done;
  }

  LayerAnswer run() {
    std::optional<std::vector<StoreOrder>> orders = store_orders(problem_, kMostStoreOrders);
    if (!orders) {
      answer_.end = SearchEnd::Stores;
      return std::move(answer_);
    }
    for (StoreOrder& order : *orders) open_.push_back({std::move(order)});
    for (const u64 evaluations : kFirstRounds) round([&](std::size_t) { return budget_.at_most(evaluations); });
    for (u64 before = ~u64{0}; !open_.empty() && !over() && answer_.statistics.evaluated != before;) {
      before = answer_.statistics.evaluated;
      round([&](std::size_t left) { return share(left); });
    }
    for (const Open& order : open_) record_unexplored(order.bound, budget_.end(0));
    answer_.complete = cut(left_);
    if (answer_.complete) answer_.end = SearchEnd::Done;
    else if (left_ > 0) answer_.lower_bound = left_;
    return std::move(answer_);
  }

 private:
  struct Open {
    StoreOrder order;
    double bound = 0;  // proven of its mappings so far, in units of objective_number()
  };

  bool over() const { return budget_.over() || !budget_.allows(1); }
  // Whether nothing whose values are at least `bound` can be better. Equally fast mappings differ in energy.
  bool cut(double bound) const {
    if (!answer_.found) return bound == std::numeric_limits<double>::infinity();
    const double value = objective_number(problem_.options.objective, answer_.cost);
    return info(problem_.options.objective).energy_power == 0 ? bound > value : bound >= value;
  }
  ObjectiveKey limit() const {
    return answer_.found ? objective_key(problem_.options.objective, answer_.cost) : ObjectiveKey();
  }

  // What one of `orders` orders may use of the budget: more than its part, for most are done sooner.
  SearchBudget share(std::size_t orders) const {
    constexpr u64 kParts = 4;
    if (!budget_.limited() || orders <= kParts) return budget_;
    const SearchBudget part = budget_.part_of_time(static_cast<double>(kParts) / static_cast<double>(orders));
    return budget_.limits_evaluations() ? part.at_most(budget_.evaluations_left(0) * kParts / orders) : part;
  }

  // Searches every open order once, the most promising first; those that are not done stay open. `budget` of an order
  // by how many are left in the round.
  template <class Budget>
  void round(Budget budget) {
    std::stable_sort(open_.begin(), open_.end(), [](const Open& a, const Open& b) { return a.bound < b.bound; });
    std::vector<Open> still_open;
    std::size_t left = open_.size();
    for (Open& order : open_) {
      if (over() || !searched(order, budget(left))) still_open.push_back(std::move(order));
      --left;
    }
    open_ = std::move(still_open);
    double least = left_;
    for (const Open& order : open_) least = std::min(least, order.bound);
    if (problem_.options.progress && !open_.empty()) problem_.options.progress({.lower_bound = least});
  }

  // Whether nothing remains to be found in this order.
  bool searched(Open& order, const SearchBudget& budget) {
    if (cut(order.bound)) return true;
    const LayerProblem stacked = stacked_problem(problem_, order.order);
    const LayerAnswer found = exact_search(stacked, {}, budget, limit());
    answer_.statistics += found.statistics;
    budget_ = budget_.after(found.statistics.evaluated);
    // An even mapping is kept for one that is no better.
    if (found.found && (!answer_.found || found.value < answer_.value))
      answer_.offer(problem_.options.objective, unstacked(found.mapping, *stacked.stack), found.cost);
    if (found.complete) return true;
    order.bound = std::max(order.bound, found.lower_bound.value_or(0));
    const bool again = found.end == SearchEnd::Evaluations || found.end == SearchEnd::Time;
    if (again || found.end == SearchEnd::Stopped) return false;
    record_unexplored(order.bound, found.end);
    return true;
  }

  void record_unexplored(double bound, SearchEnd why) {
    left_ = std::min(left_, bound);
    answer_.end = std::max(answer_.end, why);
  }

  const LayerProblem& problem_;
  SearchBudget budget_;  // what is left of it
  LayerAnswer answer_;
  std::vector<Open> open_;
  double left_ = std::numeric_limits<double>::infinity();  // least bound of what was not searched to the end
};

}  // namespace

LayerAnswer uneven_search(const LayerProblem& problem, const LayerAnswer& even, const SearchBudget& budget) {
  return Uneven(problem, even, budget).run();
}

}  // namespace heliolite

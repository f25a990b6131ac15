#include "engine/search/baseline/level_orders.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {

OrderChoices::OrderChoices(const LayerProblem& problem) {
  const ReuseTable reuse = infer_reuse(problem.workload, UnitDimensions::Skip);
  for (const LevelSpace& level : problem.space.levels) {
    OrderOptions options;
    options.loops = problem.space.non_unit;
    const auto innermost = level.temporal.order.dimensions();
    options.innermost.assign(innermost.begin(), innermost.end());
    kept_.push_back(build_order_trie(reuse, options).kept);
    if (kept_.back().empty()) kept_.back().emplace_back();
  }
}

OrderChoices::Orders OrderChoices::of(const PlaceFactors& factors, int level) const {
  Orders out;
  const auto& loops = factors[at(place_of(level, false))];
  for (const LoopOrder& order : kept_[at(level)]) {
    std::vector<u8> present;
    for (const u8 d : order.loops())
      if (loops[d].x > 1) present.push_back(d);
    if (std::ranges::find(out, present) == out.end()) out.push_back(std::move(present));
    if (level == 0) break;
  }
  return out;
}

void set_order(LevelOrders& orders, int level, const std::vector<u8>& loops) {
  std::ranges::copy(loops, orders.loop[at(level)].begin());
  orders.count[at(level)] = static_cast<u8>(loops.size());
}

}  // namespace heliolite

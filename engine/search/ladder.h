#pragma once
// Costs of partial plans. The ladder has one cost model per level: the machine cut off above that level, which then
// holds everything and runs all loops not yet placed. What is placed inside is charged exactly; what lies outside is
// charged its compulsory cost, at the parallelism of every fan-out still to come.
#include <array>
#include <atomic>
#include <vector>

#include "engine/model/cost_model.h"
#include "engine/search/compulsory.h"
#include "engine/search/objective.h"
#include "engine/search/plan.h"
#include "engine/space/footprint.h"
#include "engine/space/mapspace.h"
#include "engine/space/order_trie.h"

namespace heliolite {

struct Score {
  bool fits = false;
  Cost cost;
  Value value = Value::worst();
};

class Ladder {
 public:
  // Not movable: its capacity tests refer to its footprint.
  Ladder(const Ladder&) = delete;
  Ladder& operator=(const Ladder&) = delete;

  // `orders[i]`: the loop orders to choose from at level i.
  Ladder(const Workload& workload, const Architecture& architecture, const Mapspace& space,
         std::vector<std::vector<LoopOrder>> orders, Objective objective,
         const std::array<TensorMask, kMaxLevels>& keep, const std::atomic<bool>* stop = nullptr);

  int levels() const { return static_cast<int>(models_.size()); }
  const CostModel& model() const { return models_.back(); }
  const Compiled& compiled() const { return models_.back().compiled(); }
  const Mapspace& space() const { return space_; }
  Objective objective() const { return objective_; }
  const std::vector<LoopOrder>& orders(int level) const { return orders_[static_cast<std::size_t>(level)]; }

  // Of a complete plan.
  Mapping mapping(const Plan& plan) const;

  // The plan's loops up to level `top`, the loops `rest` outside them at `top`. With top = outermost and no rest, the
  // mapping's cost.
  Score score(const Plan& plan, int top, const Extents& rest);

  // Chooses the orders of levels first .. top one after the other, each with the others as they are; returns the best
  // score.
  Score choose_orders(Plan& plan, int first, int top, const Extents& rest);

  // Whether the kept tensors of a tile fit at `level` and at every level outside it.
  bool tile_fits(const Extents& tile, int level) const { return capacity_[static_cast<std::size_t>(level)](tile); }

  u64 evaluated() const { return evaluated_; }
  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  void write(Mapping& out, const Plan& plan, int top, const Extents& rest) const;

  const Mapspace& space_;
  std::vector<CostModel> models_;  // [i]: levels 0 .. i
  std::vector<std::vector<LoopOrder>> orders_;
  std::array<std::vector<u8>, kMaxLevels> spatial_order_;  // dimensions of size above 1
  Objective objective_;
  CompulsoryCost compulsory_;
  Footprint footprint_;
  std::vector<CapacityTest> capacity_;            // [i]: of levels i .. outermost
  std::array<u64, kMaxLevels> fanout_outside_{};  // product of the fan-outs of the levels outside
  const std::atomic<bool>* stop_;
  Mapping scratch_;  // of score(): loops beyond its count are stale
  u64 evaluated_ = 0;
};

}  // namespace heliolite

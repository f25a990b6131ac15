#pragma once
// Costs of partial plans. The ladder has one cost model per level: the machine cut off above that level, which then
// holds everything and runs all loops not yet placed. What is placed inside is charged exactly; what lies outside is
// charged its compulsory cost, at the parallelism of every fan-out still to come. When a tensor passes the level by,
// its words come from further out: then all levels stay, those from the cut on without a capacity.
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/cost_model.h"
#include "engine/model/nest.h"
#include "engine/search/climb/plan.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/options.h"
#include "engine/space/footprint.h"
#include "engine/space/mapspace.h"
#include "engine/space/order_trie.h"

namespace heliolite {

// Prices the partial plans of one layer, with one keep choice and one machine at a time.
class Ladder {
 public:
  // Not movable: its capacity tests refer to its footprint.
  Ladder(const Ladder&) = delete;
  Ladder& operator=(const Ladder&) = delete;

  // `orders[i]`: the loop orders to choose from at level i. `whole` prices whole mappings; the mapspace must outlive
  // the ladder.
  Ladder(const CostModel& whole, const Mapspace& space, std::vector<std::vector<LoopOrder>> orders, Objective objective,
         const KeepMasks& keep, const SearchBudget& budget);

  // Sets the keep choice by which partial plans and tiles are judged from now on.
  void set_keep(const KeepMasks& keep);
  const KeepMasks& keep() const { return keep_; }

  // From now on plans are priced on this machine, of the same family (machine_family.h) as the ladder's own. The model
  // must outlive its use.
  void use(const CostModel& machine);

  int levels() const { return static_cast<int>(cut_.size()); }
  const CostModel& model() const { return *model_; }
  const Compiled& compiled() const { return model_->compiled(); }
  const Mapspace& space() const { return space_; }
  Objective objective() const { return objective_; }
  const std::vector<LoopOrder>& orders(int level) const { return orders_[level]; }

  // The mapping that a complete plan stands for.
  Mapping mapping(const Plan& plan) const;

  // Prices the plan's loops up to level `top`, with loops for `rest` (iterations left of each dimension) added outside
  // them at `top`. For the outermost level and no rest this is the mapping's cost.
  Score score(const Plan& plan, int top, const Extents& rest);

  // Chooses the loop orders of levels first .. top one after the other, each with the others as they are, and sets them
  // in the plan. Returns the best score.
  Score choose_orders(Plan& plan, int first, int top, const Extents& rest);

  // Whether the plan's fan-outs up to level `top`, and those outside it at most, use as many units as mappings must.
  bool uses_enough_units(const Plan& plan, int top) const;

  // Whether the kept tensors of a tile fit at `level` and at every level outside it.
  bool tile_fits(const Extents& tile, int level) const { return capacity_[level](tile); }

  // Plans priced so far.
  u64 evaluated() const { return evaluated_; }
  // [level]: tiles of the level that were judged so far.
  const std::array<u64, kMaxLevels>& tiles() const { return tiles_; }
  void count_tile(int level) { ++tiles_[level]; }
  // Whether the budget is used up. Who asks then finishes what it has, with a few evaluations more if that is nothing.
  bool stopped() const { return out_of_evaluations() || budget_.over(); }

 private:
  class PlanLoops;
  // One of the orders of a level that puts some dimensions in another order than those before it, and a number for it.
  struct DifferentOrder {
    u16 index;
    u64 key;
  };

  bool out_of_evaluations() const { return evaluated_ >= last_evaluation_; }
  Score score_of(const Cost& inside, int top) const;
  Score choose_orders_with_peers(Plan& plan, int first, int top, const Extents& rest, Score best);
  const std::vector<DifferentOrder>& different_orders(int level, DimensionMask dimensions);
  // The machine that prices plans up to this level.
  const Compiled& machine(int top) const { return (bypassed_[top] ? roomy_ : cut_)[top]; }

  const Mapspace& space_;
  const CostModel own_;                      // cost model of the machine given to the constructor
  const CostModel* model_ = &own_;           // cost model of the machine in use
  std::vector<Compiled> cut_;                // [i]: levels 0 .. i
  std::vector<Compiled> roomy_;              // [i]: all levels, those from i on without a capacity
  std::array<bool, kMaxLevels> bypassed_{};  // levels that do not keep every tensor
  std::vector<std::vector<LoopOrder>> orders_;
  std::array<std::vector<u8>, kMaxLevels> spatial_order_;  // dimensions of size above 1; empty without a fan-out
  // By level and dimensions that loop there: searches ask again and again.
  std::map<std::pair<int, DimensionMask>, std::vector<DifferentOrder>> different_;
  Objective objective_;
  KeepMasks keep_{};
  CompulsoryCost compulsory_;
  Footprint footprint_;
  std::vector<CapacityTest> capacity_;            // [i]: of levels i .. outermost
  std::array<u64, kMaxLevels> fanout_outside_{};  // product of the fan-outs of the levels outside
  SearchBudget budget_;
  u64 last_evaluation_;
  Nest nest_;  // nest of the plan read last
  u64 evaluated_ = 0;
  std::array<u64, kMaxLevels> tiles_{};
};

}  // namespace heliolite

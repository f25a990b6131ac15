#pragma once
// Rest bounds: tables over the lattice of tiles with the least cost of the levels still to be placed, by the tile that
// they start from (docs/rules/exact.md).
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/exact/flow_costs.h"
#include "engine/search/exact/key.h"
#include "engine/search/exact/loop_set.h"
#include "engine/search/exact/ordering_bound.h"

namespace heliolite {

// A list of flows for the ordering bound.
struct BoundFlows {
  std::array<BoundFlow, kMaxTensors * 2> flow;
  std::size_t count = 0;

  // Adds a flow; flows without halos that the same loops move are joined.
  void append(const BoundFlow& other);
  // Their ordering bound. Of more than kMaxBoundFlows flows the rest count as 0. `n`, `present`: as ordering_bound().
  double least(const ClassLoops& n, DimensionMask present) const;
};

// The tables of one keep choice.
class RestBounds {
 public:
  explicit RestBounds(const FlowCosts& model);

  // Upper bound of the bytes that the tables of a model take.
  static u64 bytes(const FlowCosts& model);

  const LoopClasses& classes() const { return classes_; }
  // Channel `channel` of x; for channel 0 all energy channels together, at the least that sharing clusters leave.
  double of(const Channels& x, std::size_t channel) const;

  // The least cost of all flows that start at `level` or outside it, if `tile` is the tile of the level; kImpossible:
  // it cannot be. Of channel `channel`; a channel without a table gives 0.
  double with(int level, std::size_t channel, u32 tile) const { return look(with_, level, channel, tile); }
  // The least with() over the tiles of the level that enlarge `tile`, the one below the level's temporal loops;
  // kImpossible: there is none.
  double below(int level, std::size_t channel, u32 tile) const { return look(below_, level, channel, tile); }
  // The least cost of all flows that start outside `level`, if `tile` is the tile of the level.
  double after(int level, std::size_t channel, u32 tile) const { return look(after_, level, channel, tile); }
  // The least energy of with() over the tiles of the level that enlarge `tile` along dimensions which index the tensor.
  // Only for tensors that reuses(level, tensor) names.
  double reused(int level, int tensor, u32 tile) const { return reused_[at(level)][at(tensor)][tile]; }
  // Whether a tile of the tensor may wait in place inside the level's loops.
  bool reuses(int level, int tensor) const;
  // The least energy of below() over all tiles.
  double least_below(int level) const;

  // Least product of distinct receivers per instance over the fan-outs that the tensor's outermost flow still has to
  // pass. `left`: lattice index of what is left outside; seen from the level's tile, and from below its temporal loops.
  double spread_after(int level, int tensor, u32 left) const { return look(spread_after_, level, tensor, left); }
  double spread_below(int level, int tensor, u32 left) const { return look(spread_below_, level, tensor, left); }

  // The flows out of a tile of a level in one channel: for each tensor kept BoundFlow::unreused, BoundFlow::once, and
  // of sliding tensors the halo shares by class.
  using FreshRow = std::array<double, kMaxTensors*(2 + kMaxDimensions)>;
  // The row of channel 0 for a tile: from the table, or computed into `row` where there is none.
  const double* fresh_energy(int level, const LatticePoint& tile, const LoopSet& outside, FreshRow& row) const;
  // Computes the row of any channel into `row`. `outside`: the loops outside the tile.
  void fresh(int level, const LatticePoint& tile, const LoopSet& outside, std::size_t channel, double* row) const;
  // Adds the flows of a row to `flows`.
  void append_fresh(int level, const double* row, BoundFlows& flows) const;

 private:
  using Table = std::vector<double>;  // [lattice index]
  using Spreads = std::array<Table, kMaxTensors>;

  static double look(const std::vector<std::vector<Table>>& tables, int level, std::size_t channel, u32 point) {
    const Table& table = tables[at(level)][channel];
    return table.empty() ? 0 : table[point];
  }
  static double look(const std::array<Spreads, kMaxLevels>& tables, int level, int tensor, u32 point) {
    const Table& table = tables[at(level)][at(tensor)];
    return table.empty() ? 1 : table[point];
  }
  Table spread(int tensor, int first_fanout, int start, const Table& receivers) const;
  void build_level(int level);
  std::size_t row_width(int level) const;

  const FlowCosts& m_;
  const Compiled& c_;
  LoopClasses classes_;
  std::vector<std::vector<Table>> with_, below_, after_;  // [level][channel]; cycles may be empty
  std::array<Spreads, kMaxLevels> spread_after_, spread_below_;
  std::array<std::array<Table, kMaxTensors>, kMaxLevels> reused_;
  std::vector<Table> fresh_;  // [level]: a row for each tile; may be empty
};

}  // namespace heliolite

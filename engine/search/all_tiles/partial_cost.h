#pragma once
// What a mapping over all tile sizes costs at least, whatever loops follow outside. Proofs: docs/rules/any_factors.md.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/all_tiles/flows.h"
#include "engine/search/all_tiles/open_flow.h"
#include "engine/search/all_tiles/rest_table.h"

namespace heliolite {

struct Profile;

// Cycles that the outermost level's bandwidths need for the words that every mapping moves, as the cost model rounds
// them (docs/cost_model.md, rule 28): in doubles that are divided by the steps of the compute units first, so that 64
// words at 8 words a cycle may be 8 cycles with some steps and 9 with others. Proof: docs/rules/any_factors.md.

class RoundedCycles {
 public:
  explicit RoundedCycles(const KeptFlows& costs);

  // Whether roundings may ask for a cycle more than the words do: where these fill all cycles.
  bool may_round_up() const { return may_round_up_; }
  // Without roundings.
  u64 exact() const { return exact_; }
  // Cycles at least of mappings whose steps are a multiple of `unit`, no fewer than `least` and no more than `most`.
  // exact() if too many such numbers of steps would have to be looked at.
  u64 of_multiples(u64 unit, u64 least, u64 most) const;

 private:
  const CompiledLevel& level_;
  std::size_t tensors_;
  std::array<u64, kMaxTensors> reads_{}, writes_{};  // parts of words
  u64 exact_ = 0;
  bool may_round_up_ = false;
};

// [level]: energy units of all flows from boundaries outside it, at least.
using EnergyOutside = std::array<u128, kMaxLevels>;

struct OnceCost {
  Cost whole;
  EnergyOutside outside{};
};

inline constexpr int kAnyDimension = -1;

// Whether flows that pass a level ask their outer ones themselves, or their proxies do.
enum class Asking : u8 { Themselves, Proxies };

class PartialCost {
 public:
  // `least_cycles`: of any mapping with this keep choice. `batches`: dimensions whose mappings also stand for those
  // with temporal loops over them elsewhere (any_search.h), which may take more steps.
  PartialCost(const KeptFlows& costs, u64 least_cycles, DimensionMask batches = 0);

  // Flows into tiles of levels below reach.level at least, and `rest` of the others, and the MACs; cycles of the
  // compute units and of levels.
  Cost operator()(const Trail& trail, const Reach& reach, const Rest& rest = {});

  // After a call of operator() for the same trail and reach: their profile.
  void describe(const Trail& trail, const Reach& reach, Profile& out) const;
  // Likewise: the dimensions a loop over which moves words that are in place.
  DimensionMask moves() const;
  // Likewise: another bound, `rest` being that with proxies.
  Cost with_proxies(const Trail& trail, const Reach& reach, const Rest& rest);

  // From now on trails are this one with loops added, until unsettle(): flows all of whose words are known are not
  // counted anew, if no fan-out is to come. Then look_ahead() is done, too, if there are `loops` to come at its level.
  void settle(const Trail& trail, const Reach& reach, bool loops);
  // Likewise: the flows of this trail say what others cost.
  void look_ahead(const Trail& trail, const Reach& reach);
  bool is_ahead() const { return is_ahead_; }
  // After look_ahead(): what the same trail with one loop more costs at least, whose flows are not counted. That loop
  // is a temporal one over dimension d; kAnyDimension: any.
  Cost ahead(const Trail& trail, const Reach& reach, int d, const Rest& rest, Asking asking) const;
  void unsettle() { settled_.assign(settled_.size(), false), is_ahead_ = false; }

  // Before any loop is placed: if every word crosses each boundary once, as far as units ask for it.
  OnceCost once(Trail& trail);

  // The least of the flows from boundary `level` + 1, when each dimension has between `least` and `most` tiles there.
  RestOutside least_outside(int level, std::span<const u32> least, std::span<const u32> most,
                            std::span<const u32> widest);

 private:
  // The energy of flows, and cycles of the outermost level's ports if they are asked for.
  struct Flowing {
    u128 energy = 0;
    PortCycles ports;

    void lower_to(const Flowing& other) {
      energy = std::min(energy, other.energy);
      ports.lower_to(other.ports);
    }
  };

  // Cycles that levels need for what is known to move.
  struct LevelCycles {
    double inside = 0;  // of all but the outermost one
    PortCycles outermost;

    u64 with(const Rest& rest) const;
  };
  // What the flows of a trail cost at least, and the least if its first loop to come is over a dimension.
  struct Ahead {
    u128 least = 0;
    std::array<u128, kMaxDimensions> first_over{};
    LevelCycles cycles;
  };

  void count(const Trail& trail, const Reach& reach);
  void look_ahead_of_counted(const Trail& trail, const Reach& reach);
  void look_ahead(const Trail& trail, const Reach& reach, Asking asking);
  Cost cost(const Trail& trail, const Reach& reach, const Rest& rest, Asking asking);
  template <bool kPorts>
  Flowing start_order(const Trail& trail, Asking asking);
  template <bool kPorts>
  Flowing ordered(const Trail& trail, const UnitsInUse& units, Asking asking);
  u64 moved_by(int j, u64 left) const;
  template <bool kPorts>
  Flowing moved_over(ClassSet inside, int d, u64 moved) const;
  template <bool kPorts>
  Flowing moved_first(ClassSet inside, int j, u64 moved) const;
  DimensionMask movers(const Trail& trail, DimensionMask of_class) const;
  template <bool kPorts>
  Flowing next(ClassSet inside, u64 left) const;
  template <bool kPorts>
  void add(const OpenFlow& flow, const FlowTraffic& words, Flowing& sum) const;
  u128 energy(const OpenFlow& flow, const FlowTraffic& words, const UnitsInUse& units) const;
  PortCycles ports(const Accesses<u64>& parts) const;
  void add_steps(const Trail& trail, bool matter, Profile& out) const;
  void add_flow(const OpenFlow& flow, bool settled, const UnitsInUse& units, Profile& out) const;
  u64 steps(const Trail& trail, u64 units) const;
  u64 least_cycles(const Trail& trail, u64 units) const;
  u64 rounded_cycles(const Trail& trail, u64 units) const;
  // Whether it is open how many steps a dimension takes.
  bool steps_are_open(const Trail& trail, int d) const {
    return contains(batches_, d) || (trail.of(d).tiles > 1 && along_[d] != 1);
  }
  LevelCycles level_cycles(const Trail& trail, const Reach& reach, Asking asking) const;
  void find_busy_levels();
  Accesses<u64> asked_parts(const Flow& f, u64 words) const;
  double cycles_of_first(const Trail& trail, const Reach& reach) const;
  double cycles_of(int level, const Accesses<u64>& parts, double instances) const;
  u128 leakage(const UnitsInUse& units, u64 cycles) const;

  const KeptFlows& costs_;
  const Compiled& c_;
  u64 least_cycles_;
  const DimensionMask batches_;
  const RoundedCycles rounded_;
  const std::vector<DimensionMask>& classes_;
  std::array<u64, kMaxLevels> units_inside_;
  UnitsInUse in_use_;
  int level_ = 0;  // whose loops are being placed
  std::vector<const OpenFlow*> flows_;
  std::vector<std::optional<OpenFlow>> counted_;  // [of costs_.flows()]
  std::vector<bool> settled_;                     // likewise
  std::array<Ahead, 2> ahead_;                    // [asking]
  UnitsInUse ahead_units_;
  bool is_ahead_ = false;
  std::vector<OpenFlow> in_table_;
  std::vector<const Flow*> busy_;  // what units ask of a level that may take longer for it than they do
  UnitsAlong along_{};
  std::vector<int> open_;  // of flows_: those with words in place
  // Classes that may have temporal loops to come, and those that have: fan-outs to come may leave nothing, and tables
  // take numbers of tiles in ranges.
  ClassSet looping_ = 0, must_loop_ = 0;
  std::vector<DimensionMask> movers_;  // [class]: dimensions that its first loop may be over
  Trail nowhere_;
  const UnitsInUse* units_ = nullptr;
};

}  // namespace heliolite

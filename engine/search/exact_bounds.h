#pragma once
// Lower bounds of partial mappings (docs/rules/exact.md): what is placed counts as it is; flows still in place count at
// the ordering bound of everything outside; tiles still to be chosen count at the least of a table over the lattice.
#include <vector>

#include "engine/search/exact_state.h"
#include "engine/search/ordering_bound.h"

namespace heliolite {

// Energy units and cycles that no completion is below.
struct CostBound {
  double energy = 0;
  double cycles = 0;
};

inline constexpr std::size_t kMaxOpenFlows = kMaxTensors + kMaxSlidingFlows;

class ExactBounds {
 public:
  explicit ExactBounds(const ExactModel& model);

  // What a state says of its flows, by channel (energy channels joined in channel 0).
  struct Inside {
    std::size_t known = 0;  // channels computed so far
    Channels sum;           // closed flows, and those in place at the ordering bound
    Channels settled;       // without those in place
    double compute_cycles = 0;
    DimensionMask present = 0;                     // dimensions with iterations left
    std::array<double, kMaxDimensions> left;       // how many
    std::array<double, kMaxSlidingFlows> fetched;  // of flows that move: times the whole tile, over everything outside
    // Flows in place: what they cost if every loop outside fetches them again.
    std::size_t open_count = 0;
    std::array<DimensionMask, kMaxOpenFlows> relevant;
    std::array<Channels, kMaxOpenFlows> unreused, once;
    std::array<double, kMaxOpenFlows> repeats;  // `once` of what is fetched and spread to nobody else
    std::array<int, kMaxOpenFlows> halo_of;     // in `halo`; -1: the tensor does not slide
    std::array<std::array<double, kMaxDimensions>, kMaxSlidingFlows> halo;
  };
  // After the loops of `level` are placed and its flows have begun, or, with `unrolled`, after the fan-out below it.
  // Energy only: most states are cut for that alone. Bounds are of the channels known.
  Inside inside(const ExactState& s, int level, bool unrolled) const;
  // The bandwidths too. Returns whether there are any.
  bool add_cycles(const ExactState& s, int level, bool unrolled, Inside& inside) const;

  CostBound at_tile(const ExactState& s, const Inside& inside, int level, u32 tile) const {
    return total(s, inside, level, after_[static_cast<std::size_t>(level)], tile);
  }
  CostBound at_unrolled(const ExactState& s, const Inside& inside, int level, u32 tile) const {
    return total(s, inside, level, below_[static_cast<std::size_t>(level)], tile);
  }
  // Before the fan-out below `level`: `inside` is of the level inside it, with the compute cycles of an unrolling.
  CostBound at_guess(const ExactState& s, const Inside& inside, int level, u32 unrolled) const {
    return total(s, inside, level - 1, below_[static_cast<std::size_t>(level)], unrolled);
  }
  // The same whatever the unrolling, if it uses `instances`.
  CostBound at_instances(const ExactState& s, Inside& inside, int level, double instances) const {
    inside.compute_cycles = m_.macs / (s.units * instances * fanout_outside_[static_cast<std::size_t>(level) + 1]);
    return at_tile(s, inside, level - 1, s.tile.index);
  }
  // Of everything.
  CostBound at_root(const ExactState& root) const;
  CostBound at_candidate(const ExactState& s, const Inside& inside, int level, u32 tile) const {
    return total(s, inside, level, with_[static_cast<std::size_t>(level)], tile);
  }
  // The same with the order in mind: flows in place that this level's own loops move close here, and the others wait
  // together with those out of the tile. Never below at_candidate, and dearer.
  // Stops at energy where that is `enough`.
  CostBound at_candidate_ordered(const ExactState& s, const Inside& inside, int level, const LatticePoint& tile,
                                 double enough) const;

  // Energy alone of at_guess, at_unrolled, at_candidate.
  double guess_energy(const Inside& inside, int level, u32 unrolled) const {
    return inside.sum[0] + below_[static_cast<std::size_t>(level)][0][unrolled];
  }
  double candidate_energy(const Inside& inside, int level, u32 tile) const {
    return inside.sum[0] + with_[static_cast<std::size_t>(level)][0][tile];
  }

  // Whether a tile can be that of `level`: it fits, and the loops left have places outside.
  bool possible(int level, u32 tile) const { return with_[static_cast<std::size_t>(level)][0][tile] < kNever; }
  bool reachable(int level, u32 unrolled) const {
    return below_[static_cast<std::size_t>(level)][0][unrolled] < kNever;
  }

  // Cycles of the compute units at least when `units` are used so far and `left` (a lattice index) is to be placed
  // outside `level`.
  double compute_cycles(double units, int level, u32 left) const;

  static constexpr double kNever = 1e300;

 private:
  using Spreads = std::array<std::vector<double>, kMaxTensors>;
  using Tables = std::vector<std::vector<double>>;  // [channel][lattice index]; cycles channels may be empty

  double energy(const Channels& x) const;
  // Returns the share that is left if all of them are reused.
  double halos(const CompiledTensor& t, const std::array<i64, kMaxRanks>& extent, const Extents& step,
               const std::array<double, kMaxDimensions>& n, std::array<double, kMaxDimensions>& out) const;
  void build_level(int level);
  // Flows that start at a tile of `level`.
  struct Fresh {
    std::size_t count = 0;
    std::array<double, kMaxDimensions> left{};  // iterations outside, by dimension
    DimensionMask present = 0;                  // dimensions with more than one
    u32 left_index = 0;                         // of what is outside, in the lattice
    std::array<u8, kMaxTensors> tensor;
    std::array<double, kMaxTensors> words;    // of the tile, times all iterations outside
    std::array<double, kMaxTensors> repeats;  // the share of them that every order fetches
    std::array<std::array<double, kMaxDimensions>, kMaxTensors> halo;
  };
  void start(int level, const LatticePoint& tile, Fresh& out) const;
  // Adds those that cost something in a channel, after the `count` that are there; returns how many there are then.
  std::size_t list(const Fresh& fresh, int level, std::size_t channel, BoundFlow* flow, std::size_t count) const;
  // One by the iterations of what the tensor does not depend on: what fan-outs spread and loops reuse together.
  double irrelevant_share(const CompiledTensor& t, const std::array<double, kMaxDimensions>& n) const;
  void sum_channel(const ExactState& s, int level, bool unrolled, std::size_t channel, Inside& out) const;
  static double spread(const Spreads& of, std::size_t tensor, u32 left) {
    return of[tensor].empty() ? 1 : of[tensor][left];
  }
  double of(const Channels& x, std::size_t channel) const { return channel == 0 ? energy(x) : x[channel]; }
  CostBound total(const ExactState& s, const Inside& inside, int level, const Tables& tables, u32 tile) const;
  // The cost of sums by channel.
  CostBound price(const ExactState& s, const Channels& sums, std::size_t known, double compute_cycles, int level) const;

  const ExactModel& m_;
  const Compiled& c_;
  std::vector<Tables> with_;   // [level]: flows that start at the level or outside it, by its tile
  std::vector<Tables> below_;  // the same by the tile below its temporal loops: least over the tiles possible
  std::vector<Tables> after_;  // flows that start outside the level, by its tile
  // [level][tensor][lattice index of what is left]: least distinct receivers per instance over the fan-outs that the
  // tensor's last flow has to pass, seen from the level's tile and from below its temporal loops. Empty: none.
  std::array<Spreads, kMaxLevels> spread_after_, spread_below_;
  std::array<double, kMaxLevels + 1> reducing_outside_{};  // [i]: most receivers of a word over fan-outs i ..
  std::array<Channels, kMaxLevels + 1> refund_from_{};     // [i]: of levels i .., for each output word
  std::array<double, kMaxLevels + 1> fanout_outside_{};    // [i]: product of fan-outs i ..
  bool leaks_ = false;
};

}  // namespace heliolite

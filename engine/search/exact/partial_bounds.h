#pragma once
// Lower bounds of partial mappings (docs/rules/exact.md): what is placed counts as it is; flows still in place count at
// the ordering bound of everything outside; tiles still to be chosen count at the least of a table over the lattice.
#include <vector>

#include "engine/search/exact/partial_mapping.h"
#include "engine/search/exact/rest_bounds.h"

namespace heliolite {

// Energy units and cycles that no completion is below.
struct CostBound {
  double energy = 0;
  double cycles = 0;
};

inline constexpr std::size_t kMaxOpenFlows = kMaxTensors + kMaxSlidingFlows;

class PartialBounds {
 public:
  explicit PartialBounds(const FlowCosts& model);

  static constexpr double kImpossible = RestBounds::kImpossible;

  // Where a state stands: after the loops of a level are placed and its flows have begun, or, with `unrolled`, after
  // the fan-out below the level.
  struct Place {
    int level = 0;
    bool unrolled = false;
  };

  // What a state says of its flows, by channel (energy channels joined in channel 0).
  struct Inside {
    Place place;
    std::size_t known = 0;  // channels computed so far
    u16 active = 0;         // channels that are asked for
    Channels sum;           // closed flows, and those in place at the ordering bound
    Channels settled;       // without those in place
    double compute_cycles = 0;
    LoopSet outside;
    std::array<double, kMaxSlidingFlows> fetched;  // of flows that move: times the whole tile, over everything outside
    // Flows in place: what they cost if every loop outside fetches them again, and at least.
    std::size_t open_count = 0;
    std::array<DimensionMask, kMaxOpenFlows> relevant;
    std::array<Channels, kMaxOpenFlows> unreused, once;
    std::array<double, kMaxOpenFlows> repeats;  // `once` of what is fetched and spread to nobody else
    std::array<int, kMaxOpenFlows> halo_of;     // in `halo`; -1: the tensor does not slide
    std::array<ClassLoops, kMaxSlidingFlows> halo;

    explicit Inside(const LoopSet& all_outside) : outside(all_outside) {}
    const double* halo_shares(std::size_t flow) const {
      return halo_of[flow] < 0 ? nullptr : halo[static_cast<std::size_t>(halo_of[flow])].data();
    }
  };
  // Energy only: most states are cut for that alone. Bounds are of the channels known.
  Inside inside(const PartialMapping& s, Place place) const;
  // The bandwidths too. Returns whether there are any.
  bool add_cycles(const PartialMapping& s, Inside& inside) const;

  CostBound at_tile(const PartialMapping& s, const Inside& inside, u32 tile) const {
    return total(s, inside, [&](std::size_t k) { return tables_.after(inside.place.level, k, tile); });
  }
  CostBound at_unrolled(const PartialMapping& s, const Inside& inside, u32 tile) const {
    return total(s, inside, [&](std::size_t k) { return tables_.below(inside.place.level, k, tile); });
  }
  // Before the fan-out of the next level, with the compute cycles of an unrolling.
  CostBound at_guess(const PartialMapping& s, const Inside& inside, u32 unrolled) const {
    return total(s, inside, [&](std::size_t k) { return tables_.below(inside.place.level + 1, k, unrolled); });
  }
  // The same whatever the unrolling, if it uses `instances`.
  CostBound at_instances(const PartialMapping& s, Inside& inside, double instances) const {
    inside.compute_cycles =
        m_.macs / (s.units * instances * fanout_outside_[static_cast<std::size_t>(inside.place.level) + 2]);
    return at_tile(s, inside, s.tile.index);
  }
  CostBound at_candidate(const PartialMapping& s, const Inside& inside, u32 tile) const {
    return total(s, inside, [&](std::size_t k) { return tables_.with(inside.place.level, k, tile); });
  }
  // The same with the order in mind: flows in place that this level's own loops move close here, and the others wait
  // together with those out of the tile.
  CostBound at_candidate_ordered(const PartialMapping& s, const Inside& inside, const LatticePoint& tile) const;
  // Of everything.
  CostBound at_root(const PartialMapping& root) const;

  // Energy alone of at_guess, at_unrolled, at_candidate, at_candidate_ordered.
  double guess_energy(const Inside& inside, u32 unrolled) const {
    return inside.sum[0] + tables_.below(inside.place.level + 1, 0, unrolled);
  }
  double unrolled_energy(const Inside& inside, u32 tile) const {
    return inside.sum[0] + tables_.below(inside.place.level, 0, tile);
  }
  double candidate_energy(const Inside& inside, u32 tile) const {
    return inside.sum[0] + tables_.with(inside.place.level, 0, tile);
  }
  // The last stops where it is `enough`.
  double ordered_energy(const PartialMapping& s, const Inside& inside, const LatticePoint& tile, double enough) const;

  // Whether a tile can be that of `level`: it fits, and the loops left have places outside.
  bool possible(int level, u32 tile) const { return tables_.with(level, 0, tile) < kImpossible; }
  bool reachable(int level, u32 unrolled) const { return tables_.below(level, 0, unrolled) < kImpossible; }

  // Cycles of the compute units at least when `units` are used so far and `left` (a lattice index) is to be placed
  // outside `level`.
  double compute_cycles(double units, int level, u32 left) const;

 private:
  void sum_channel(const PartialMapping& s, std::size_t channel, Inside& out) const;
  double ordered(const Inside& inside, std::size_t channel, const LatticePoint& tile, const LoopSet& own,
                 const LoopSet& outside, const double* fresh_row) const;
  template <class Table>
  CostBound total(const PartialMapping& s, const Inside& inside, Table table) const {
    Channels sums;
    for (std::size_t k = 0; k < inside.known; ++k)
      if (inside.active >> k & 1) sums[k] = inside.sum[k] + table(k);
    return price(s, inside, sums);
  }
  // The cost of sums by channel.
  CostBound price(const PartialMapping& s, const Inside& inside, const Channels& sums) const;

  const FlowCosts& m_;
  const Compiled& c_;
  RestBounds tables_;
  std::array<double, kMaxLevels + 1> reducing_outside_{};  // [i]: most receivers of a word over fan-outs i ..
  std::array<Channels, kMaxLevels + 1> refund_from_{};     // [i]: of levels i .., for each output word
  std::array<double, kMaxLevels + 1> fanout_outside_{};    // [i]: product of fan-outs i ..
  u16 asked_ = 0;                                          // channels that are no part of channel 0
  bool leaks_ = false;
};

}  // namespace heliolite

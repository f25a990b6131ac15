#pragma once
// Lower bounds of all completions of a partial mapping (docs/rules/exact.md): what is placed counts as it is, flows
// still in place at the ordering bound of everything outside, tiles still to be chosen at the rest bounds.
#include <memory>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/certify/incumbent.h"
#include "engine/search/exact/nest_steps.h"
#include "engine/search/exact/rest_bounds.h"

namespace heliolite {

inline constexpr std::size_t kMaxOpenFlows = kMaxTensors + kMaxSlidingFlows;

// The bounds of a range of keep choices.
class PartialBounds {
 public:
  // `stop`: as RestBounds(). `tables`: those of an equal model; null: they are made.
  explicit PartialBounds(const FlowCosts& model, const std::function<bool()>& stop = {},
                         std::shared_ptr<const RestBounds> tables = nullptr);

  // How far a partial mapping is: the loops of `level` are placed and the flows out of its tile have begun; or, with
  // `unrolled`, the fan-out below `level` is placed and its loops are not.
  struct Place {
    int level = 0;
    bool unrolled = false;
  };

  // The cost of the flows inside the tile of a partial mapping, by channel. Energy channels are joined in channel 0;
  // `known` of the channels are computed. A flow is in place until a loop moves its tile, then it is closed.
  struct Inside {
    Place place;
    u32 servers = 0;            // of the partial mapping
    std::size_t known = 0;      // channels 0 .. known - 1 are computed
    u16 active = 0;             // mask of the channels that count: others stay undefined
    Channels sum;               // of closed flows, and of flows in place at their ordering bound
    Channels settled;           // of closed flows alone; may be negative, for refunds of flows to come are in it
    double pending = 0;         // in settled[0]: of closed flows that are still on their way
    double ramps = 0;           // cycles that the compute units wait before and after, at least
    double compute_cycles = 0;  // cycles of the compute units and the ramps at least, or of any mapping
    LoopSet outside;            // all loops outside the tile
    Channels sharing;           // [channel]: the share of accesses that clusters leave at least (RestBounds::of)
    // [sliding flow that is moving]: how often its whole tile is fetched, over everything outside.
    std::array<double, kMaxSlidingFlows> fetched;
    // The flows in place, as in BoundFlow; `without_reuse` and `full_reuse` by channel.
    std::size_t open_count = 0;
    std::array<u8, kMaxOpenFlows> tensor;
    std::array<DimensionMask, kMaxOpenFlows> relevant;  // classes of loops that move it
    std::array<Channels, kMaxOpenFlows> without_reuse, full_reuse;
    std::array<double, kMaxOpenFlows> repeats;  // share of the iterations outside that fetch it in every order
    std::array<int, kMaxOpenFlows> halo_of;     // index into `halo`; -1: the tensor does not slide
    std::array<ClassLoops, kMaxSlidingFlows> halo;
    // Classes of which one is the next loop, where only mappings count of which words come from peers; 0: any is.
    DimensionMask first = 0;

    explicit Inside(const LoopSet& all_outside) : outside(all_outside) {}
    const double* halo_shares(std::size_t flow) const {
      return halo_of[flow] < 0 ? nullptr : halo[halo_of[flow]].data();
    }
  };
  // The flows of s in channel 0, energy. Most partial mappings cost too much by energy alone, so that the other
  // channels are computed on demand. The bounds below count only the channels computed.
  Inside inside(const PartialMapping& s, Place place) const;
  // Computes the channels of bandwidths as well. Returns whether there are any.
  bool add_cycles(const PartialMapping& s, Inside& inside) const;

  // The bound when s stands at the tile (a lattice index) of its level.
  CostBound at_tile(const PartialMapping& s, const Inside& inside, u64 tile) const {
    return total(s, inside, [&](std::size_t k) { return tables_.after(inside.place.level, inside.servers, k, tile); });
  }
  // The bound over all tiles of the level that enlarge `tile`; the fan-out below the level is placed.
  CostBound at_unrolled(const PartialMapping& s, const Inside& inside, u64 tile) const {
    return total(s, inside, [&](std::size_t k) { return tables_.below(inside.place.level, inside.servers, k, tile); });
  }
  // The bound before the fan-out of the next level is placed, if that enlarges the tile to `unrolled` (a lattice
  // index). inside.compute_cycles must be those of the unrolling.
  CostBound at_guess(const PartialMapping& s, const Inside& inside, u64 unrolled) const {
    return total(s, inside,
                 [&](std::size_t k) { return tables_.below(inside.place.level + 1, inside.servers, k, unrolled); });
  }
  // The bound over all unrollings of the next fan-out that use at most `instances`; sets inside.compute_cycles.
  CostBound at_instances(const PartialMapping& s, Inside& inside, double instances) const {
    const u64 left = m_.lattice.full().index - s.tile.index;
    const double units = s.units * instances * most_outside(inside.place.level + 2, left);
    inside.compute_cycles = std::max(m_.unit_cycles / units, least_cycles_);
    return at_tile(s, inside, s.tile.index);
  }
  // The bound when `tile` is chosen as the level's tile but the order of its loops is not.
  CostBound at_candidate(const PartialMapping& s, const Inside& inside, u64 tile) const {
    return total(s, inside, [&](std::size_t k) { return tables_.with(inside.place.level, inside.servers, k, tile); });
  }
  // A higher bound of the same that takes longer (rule own-loops): flows in place that the level's own loops move close
  // among these loops, the others wait for the loops outside together with the flows out of the tile.
  // `after`: the set of servers of the stage after the level.
  CostBound at_candidate_ordered(const PartialMapping& s, const Inside& inside, const LatticePoint& tile,
                                 u32 after) const;
  // The bound of all mappings; `root`: nothing is placed.
  CostBound at_root(const PartialMapping& root) const;

  // The energy units alone of at_guess, at_unrolled, at_candidate and at_candidate_ordered, without leakage.
  double guess_energy(const Inside& inside, u64 unrolled) const {
    return inside.sum[0] + tables_.below(inside.place.level + 1, inside.servers, 0, unrolled);
  }
  double unrolled_energy(const Inside& inside, u64 tile) const {
    return inside.sum[0] + tables_.below(inside.place.level, inside.servers, 0, tile);
  }
  double candidate_energy(const Inside& inside, u64 tile) const {
    return inside.sum[0] + tables_.with(inside.place.level, inside.servers, 0, tile);
  }
  // The energy units of every tile of the level that enlarges `tile`, the one after the fan-out, and of every order of
  // the level's loops: the least of at_candidate_ordered over them, or below, and at most `at_most` (rule own-loops).
  // Not for the outermost level. Returns early, perhaps with a higher number, once that is below `enough`.
  double tiles_energy(const Inside& inside, const LatticePoint& tile, double at_most, double enough) const;
  // Some of the level's loops may be placed already: in s they are, and `inside` is of s. Into `after`: those of the
  // sets of servers `sets`, of the stage after the level, with which it is below `enough`.
  void ordered_energy(const PartialMapping& s, const Inside& inside, const LatticePoint& tile, double enough,
                      std::span<const u32> sets, std::vector<u32>& after) const;

  const RestBounds& tables() const { return tables_; }
  // Whether `tile` can be the tile of `level` after these servers: it fits, and the loops left have places outside.
  // On a coarse grid the tables know only that some tile of its cell can: whether this one fits is asked again.
  bool possible(int level, u32 servers, const LatticePoint& tile) const {
    return tables_.with(level, servers, 0, tile.index) < kImpossible &&
           (!m_.lattice.grid().coarse() || m_.fits(level, m_.servers.kept(level, servers), tile.extent));
  }
  // Whether some possible tile of `level` enlarges `unrolled`, the tile after the fan-out below the level.
  bool reachable(int level, u32 servers, u64 unrolled) const {
    return tables_.below(level, servers, 0, unrolled) < kImpossible;
  }

  // Least cycles of the compute units, if the fan-outs up to that of `level` use `units` of them and `left` (a lattice
  // index) is what remains to be placed outside, with these of ramps; and not below those of any mapping.
  double compute_cycles(double units, int level, u64 left, double ramps) const;

 private:
  // The least cycles of ramps: those of what is placed, and of the tensors' ways to their servers.
  double least_ramps(const PartialMapping& s, Place place) const;
  double most_outside(int first, u64 left) const;
  Channels sharing(const PartialMapping& s, Place place) const;
  struct Reuse;  // a level's loops that leave the tiles of one tensor in place, and what the others cost then
  void add_reuse(const Inside& inside, int loop, const LatticePoint& tile, std::vector<Reuse>& out,
                 double& least) const;
  void enlarge(const Inside& inside, const Reuse& reuse, const LatticePoint& tile, double gain, std::size_t first_axis,
               double enough, double& least) const;
  void sum_channel(const PartialMapping& s, std::size_t channel, Inside& out) const;
  double moving_with_peers(const PartialMapping& s, const SlidingFlow& flow, std::size_t channel, const Inside& inside,
                           double fetched, double spread) const;
  double pending(const PartialMapping& s, Place place, std::size_t channel, const Channels& sharing,
                 const std::array<double, kMaxTensors>& spread) const;
  struct Candidate;
  double closing(const Inside& inside, std::size_t channel, const Candidate& candidate, BoundFlows& waiting) const;
  double ordered(const Inside& inside, std::size_t channel, const Candidate& candidate, u32 after, double closed,
                 const BoundFlows& others) const;
  template <class Table>
  CostBound total(const PartialMapping& s, const Inside& inside, Table table) const {
    Channels sums;
    for (std::size_t k = 0; k < inside.known; ++k)
      if (contains(inside.active, k)) sums[k] = inside.sum[k] + table(k);
    return price(s, inside, sums);
  }
  // The bound that sums by channel amount to, with the compute units and leakage.
  CostBound price(const PartialMapping& s, const Inside& inside, const Channels& sums) const;

  const FlowCosts& m_;
  const Compiled& c_;
  NestSteps steps_;
  std::shared_ptr<const RestBounds> shared_tables_;
  const RestBounds& tables_;
  std::array<double, kMaxLevels + 1> reducing_outside_{};  // [i]: most instances that share a word, fan-outs i and on
  std::array<Channels, kMaxLevels + 1> refund_from_{};     // [i]: per output word, refunds of level i and outside it
  std::array<double, kMaxLevels + 1> fanout_outside_{};    // [i]: product of fan-outs i and on
  u16 asked_ = 0;                                          // channels that are no part of channel 0
  const double least_cycles_;  // of all mappings: every tensor passes every bandwidth on its way once
  bool leaks_ = false;
};

// The energy that a partial mapping ends with at least once the fan-out outside it is chosen: a short sum for each
// choice, before the choice is placed (rule lattice-bound). For one partial mapping, whose tile is that of the level
// inside the fan-out.
class UnrollBound {
 public:
  // `before`: what is known of s; `level`: the fan-out is the one below it.
  UnrollBound(const FlowCosts& model, const RestBounds& tables, const PartialMapping& s,
              const PartialBounds::Inside& before, int level);

  // Energy units of all flows that have begun, in every completion that unrolls so. The words that need different
  // receivers and those that are copied are known by then; of the loops outside, the first one closes the flows that it
  // moves without reuse, and all others are fetched once.
  double energy(const SpatialChoice& choice) const;

 private:
  // Energy of a closed flow whose words still pass the fan-out.
  struct Passing {
    std::size_t tensor;
    double each;   // if every receiver needs words of its own
    double least;  // whatever is chosen
  };
  // A flow in place: costs if every iteration outside fetches it again, and at least.
  struct Waiting {
    std::size_t tensor;
    DimensionMask relevant;
    double fill, serve;           // at both ends, if every receiver needs words of its own
    double repeats;               // share of the iterations that fetch it in every order
    double without_reuse, least;  // whatever is chosen
    const double* halo;           // null: the tensor does not slide
  };

  double closed_;
  DimensionMask loops_;  // classes of loops outside
  std::size_t passing_count_ = 0, waiting_count_ = 0;
  std::array<Passing, kMaxTensors> passing_;
  std::array<Waiting, kMaxOpenFlows> waiting_;
};

}  // namespace heliolite

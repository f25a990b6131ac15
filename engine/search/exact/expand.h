#pragma once
// One partial mapping of the exact search, extended by one level in every way that can matter: an unrolling of the
// fan-out below the level, a tile, an order of the level's loops.
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/search/certify/incumbent.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/rules.h"
#include "engine/search/exact/flow_costs.h"
#include "engine/search/exact/frontier.h"
#include "engine/search/exact/partial_bounds.h"

namespace heliolite {

// Rule push-in (docs/rules/exact.md): a mapping is no worse if part of a level's innermost loop moves into the level
// inside, where the tile has room for it.

// A level of a mapping whose loops are placed.
struct PlacedLevel {
  LatticePoint unrolled;  // the tile below its temporal loops
  LatticePoint tile;      // and with them
  u64 order = 0;          // dimensions of these loops, as in FrontierNode
  u32 servers = 0;        // set of servers of the stage before the level
  TensorMask moving = 0;  // tensors with a flow out of the level or out of one inside it
  u64 room = 0;           // parts of words of the levels inside that share its room
};

// A level of a perfect mapping within the model's range of keep choices.
PlacedLevel placed_level(const FlowCosts& model, const Mapping& mapping, int level);

// [axis of the lattice]: its dimension, if a factor of its prime may move from an innermost loop of `level` (1 or more)
// into `inside`, the level inside it; else no dimension. Then the moved mapping is legal on the machine and costs no
// more.
std::vector<DimensionMask> room_inside(const FlowCosts& model, u32 machine, int level, const PlacedLevel& inside);

// The mapping with a factor of the axis' prime taken from its loop of `level` and put into an outermost loop of the
// level inside. None if that loop does not have the factor.
std::optional<Mapping> moved_in(const Mapping& mapping, int level, const LatticeAxis& axis);

// Extends partial mappings of one stage; each task has its own object.
class Expander {
 public:
  // Extends by `level`. `layers[i]`: the stage after level i - 1. New partial mappings go to `out`, complete mappings
  // to `incumbent`. When `out` takes more than `most_bytes`, its less promising half is dropped.
  Expander(const LayerProblem& problem, const FlowCosts& model, const PartialBounds& bounds,
           const std::vector<Frontier>& layers, int level, Incumbent& incumbent, Frontier& out, std::size_t most_bytes);

  // Extends partial mapping k of the stage layers[level]. Returns false if not everything was looked at: this object
  // has priced `evaluations` mappings, the budget's time is up, or a flow found no room (kMaxSlidingFlows).
  bool extend(std::size_t k, const SearchBudget& budget, u64 evaluations);

  // Whether the evaluations or the time were used up.
  bool stopped() const { return stopped_; }
  // Least bound of the partial mappings that were dropped for lack of memory; infinity: none was.
  const ObjectiveKey& left_out() const { return left_out_; }
  const SearchStatistics& statistics() const { return statistics_; }
  // [machine of the family]: whether a tile was looked at on it.
  const std::vector<bool>& machines_tried() const { return machines_tried_; }

 private:
  struct Loops;  // the level's loops, some of them placed
  struct Grown;  // a partial mapping after the fan-out, with what is known of it
  struct Ends;   // which loops end which flows
  // The temporal loops that make a tile: all, and those of which some iterations would fit into the level inside.
  struct TileLoops {
    DimensionMask all = 0, pushable = 0;
  };

  const LevelSpace& space() const { return problem_.space.levels[level_]; }
  bool top() const { return level_ + 1 == m_.levels(); }
  Gate gate() { return {rules_, statistics_.rules}; }
  bool cut(Rule rule, const CostBound& bound);
  bool cut_energy(double energy, double limit);
  bool interrupted();

  void unroll(const PartialMapping& s);
  void unroll(const PartialMapping& s, PartialBounds::Inside* before, bool bandwidths);
  void grow(const PartialMapping& s);
  void find_growable_axes(const FrontierNode& parent);
  void enlarge(const Grown& from, LatticePoint& tile, std::size_t first_axis, TileLoops loops);
  bool candidate_cut(const Grown& from, const LatticePoint& tile);
  bool symmetry_cut(const LatticePoint& tile);
  bool swaps_with_inside(const PartialMapping& s, DimensionMask loops);
  bool needless(const PartialMapping& s, const LatticePoint& tile);
  TileLoops loops_of(const PartialMapping& s, const LatticePoint& tile) const;
  void place(const PartialMapping& s, const LatticePoint& tile, TileLoops tile_loops);
  void add_loop(PartialMapping& s, Loops& loops, int d) const;
  Ends ends_of(const PartialMapping& s, const Loops& loops) const;
  unsigned next_loops(const PartialMapping& s, const Loops& loops);
  unsigned not_pushed(unsigned next, const Ends& ends, const Loops& loops);
  void arrange(const PartialMapping& s, const Loops& loops, const LatticePoint& tile);
  bool prefix_exceeds_bound(const PartialMapping& s, const Loops& loops, const LatticePoint& tile);
  void finish(PartialMapping& s, const Loops& loops, const LatticePoint& tile);
  void join(PartialMapping& s, u32 servers, u64 order);
  bool misses_peers(const PartialMapping& s);
  // By tile, the tensors in place, and the sites of its sliding flows.
  using UnrolledAlike = std::set<std::tuple<u64, TensorMask, std::vector<std::pair<int, const PeerSite*>>>>;
  bool seen_before(const PartialMapping& s, UnrolledAlike& seen);
  void complete(const FrontierNode& last);

  const LayerProblem& problem_;
  const FlowCosts& m_;
  const PartialBounds& bounds_;
  const std::vector<Frontier>& layers_;
  const int level_;
  Incumbent& incumbent_;
  Frontier& out_;
  const std::size_t most_bytes_;
  const RuleSet rules_;
  double least_units_;  // that the fan-outs up to this level make together at least: those outside make up for the rest
  NestSteps steps_;
  SearchStatistics statistics_;
  std::vector<bool> machines_tried_;
  const SearchBudget* budget_ = nullptr;
  ObjectiveKey left_out_;
  u64 last_evaluation_ = 0;
  u64 asked_ = 0;
  bool stopped_ = false;
  bool overflow_ = false;
  // [loops placed]: the sets of servers of the stage after the level that the tile's flows may go to, with these loops.
  std::array<std::vector<u32>, kMaxDimensions + 1> after_;
  std::vector<DimensionMask>
      room_;  // [axis]: its dimension, if the tile of the level inside can grow by the prime; or 0
  u32 parent_ = 0;
  u32 choice_ = 0;
  double limit_ = 0;  // of Grown
};

// The loops of a level, some of them placed.
struct Expander::Loops {
  Extents factor;  // of every dimension
  Extents left;    // iterations outside what is placed
  DimensionMask waiting = 0;
  DimensionMask pushable = 0;  // while none is placed: as in TileLoops
  u64 order = 0;               // as in FrontierNode
  int depth = 0;
};

// What the loops that wait would do next.
struct Expander::Ends {
  std::array<unsigned, kMaxDimensions> flows{};  // [dimension that waits]: the flows that its loop ends
  unsigned slides = 0;                           // dimensions that may leave part of a tile in place
  bool moving = false;                           // a sliding flow is moving
};

}  // namespace heliolite

#pragma once
// The flows of a keep choice: each tensor's words on their way from a level that keeps it to the next one inside that
// does, or to the compute units; and what words of a flow cost at least.
#include <algorithm>
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/search/all_tiles/network_hops.h"
#include "engine/search/all_tiles/tiles_of_rank.h"
#include "engine/search/all_tiles/trail.h"
#include "engine/search/all_tiles/unrollings.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// Whether the hops below a level depend on the order and the ends of loops outside: all words that pass interconnects
// inside take as many as those that go into the tiles around what lies there do on average (rule 16), and which of them
// go in more often, the whole ones or those that units at the edges miss, is up to the loops.
bool hops_follow_order(const Compiled& c, int level);

// One flow, into the tile inside all loops of levels >= `boundary`.
struct Flow {
  u8 tensor, boundary, outer;  // the level where the words come from, and, of an output, go to
  bool to_compute;             // else into level boundary - 1
  bool carried;                // only as far as the interconnect `outer`, on the way of another flow (rule 43)
  bool is_output, sliding;
  DimensionMask indexing;
  DimensionMask own_rank;   // dimensions that index one rank, step by step, which no other one indexes
  DimensionMask multicast;  // dimensions along which units stand apart and may still ask for the same word
  u64 touched;              // different words of the tensor
  bool by_network = false;  // what the network below level `outer` carries on the way of other flows (rules 38 and 40)
  bool enters = false;      // only the network below level `outer`, which it passes by: pays for its way in
  u8 proxy = 0;             // boundary further outside where it has a proxy in passing(); 0: none

  // A bypass proxy stands for the words that the tile `boundary` asks the outer level for, though the tensor's own
  // tile is further inside. Nothing is held by the tile itself.
  bool is_proxy = false;
  u64 held = 0;                    // words that the tensor's own tiles inside hold together, at most
  u8 own = 0;                      // boundary of these tiles
  DimensionMask spread = 0;        // dimensions that a fan-out inside may unroll
  DimensionMask spread_again = 0;  // those that fan-outs of several levels may

  int inner() const { return boundary - 1; }
  // Whether its proxy is further outside than a level.
  bool passes(int level) const { return proxy > level; }
  bool fills() const {
    return !to_compute && !carried && !by_network && !enters && !is_proxy;
  }  // words of the inner level, to be counted with it
};

// Words of a flow, all instances together: into the tile, and requests that arrive at the outer level; by a network
// also their half hops (WordHops::of()).
struct FlowTraffic {
  u64 fetched, shared, half_hops;

  FlowTraffic() = default;  // FlowTraffic{}: none
  constexpr FlowTraffic(u64 of_fetched, u64 of_shared) : fetched(of_fetched), shared(of_shared), half_hops(0) {}
};

// How far a mapping is built: the loops of levels below `level` are placed and those in the trail. `room_x`, `room_y`:
// units that the fan-out below the level still has room for; 1 when its temporal loops are being placed.
struct Reach {
  int level;
  u64 room_x, room_y;

  // Whether the fan-out may get more units.
  bool has_room() const { return room_x * room_y != 1; }
};

// Dimensions that the fan-out below each level may unroll, by axis.
struct Unrollable {
  std::array<DimensionMask, kMaxLevels> x{}, y{};

  static Unrollable all();
  static Unrollable of(const Mapspace& space);
};
inline constexpr auto kAllDimensions = static_cast<DimensionMask>(~0u);

// How many instances of each level will work, and how many places the dimensions which do not index a tensor span
// outside a level, at most by what is placed.
struct UnitsInUse {
  u64 to_come;                              // units of fan-outs to come
  std::array<u64, kMaxLevels> least, most;  // [level]
  // [level]: its instances come in sets of this size that read and write the same numbers of words.
  std::array<u64, kMaxLevels> alike;
  std::array<std::array<u64, kMaxLevels>, kMaxTensors> positions;  // [output tensor][level]: at most
  // [output tensor][level]: words that all instances hold for the first time, at most; they are not read before.
  std::array<std::array<u64, kMaxLevels>, kMaxTensors> first_words;
};

// [dimension]: units along it that fan-outs to come make of one, at most.
using UnitsAlong = std::array<u64, kMaxDimensions>;

// Whether flows that pass by levels have proxies.
enum class Proxies : u8 { No, Yes };

class KeptFlows {
 public:
  KeptFlows(const Compiled& c, const KeepMasks& keep, const Unrollable& unrollable, Proxies proxies = Proxies::Yes);

  // From now on, of the mappings with one unrolling, which must outlive this; null: of all.
  void unroll(const ClassUnrolling* unrolling) { unrolling_ = unrolling; }

  const Compiled& compiled() const { return c_; }
  const KeepMasks& keep() const { return keep_; }
  const std::vector<Flow>& flows() const { return flows_; }  // by ascending boundary
  // Proxies of the flows that pass by a level on their way (docs/rules/any_factors.md).
  const std::vector<Flow>& passing() const { return passing_; }
  // Whether some proxy is further outside than a level.
  bool passes(int level) const {
    return std::ranges::any_of(passing_, [&](const Flow& proxy) { return proxy.boundary > level; });
  }

  // What is one to the words of all tensors: tensor_classes().
  const std::vector<DimensionMask>& classes() const { return classes_; }
  bool has_unrolling() const { return unrolling_ != nullptr; }
  bool is_free(std::size_t k) const { return contains(unrolling_->free, k); }
  // The steps that any mapping with the unrolling takes.
  u64 least_steps() const { return has_unrolling() ? unrolling_->least_steps : 1; }
  // Units of the unrolling along class k that the fan-out below the level, whose loops are being placed, has to make.
  u64 units_left(const Trail& trail, int level, std::size_t k) const;
  // Whether the unrolling says how many stand along each of these dimensions.
  bool split(DimensionMask dimensions) const { return has_unrolling() && (dimensions & ~unrolling_->split) == 0; }
  // Units of the unrolling along class k of the fan-outs below some levels, from the first of these to before the last.
  u64 class_units(int begin, int end, std::size_t k) const;
  // Units of the unrolling along class k that fan-outs to come make, up to that below level `outer`.
  u64 class_to_come(const Trail& trail, const Reach& reach, int outer, std::size_t k) const;
  // Units that they make along a dimension of a class that is split.
  u64 split_to_come(const Trail& trail, const Reach& reach, int outer, int d) const;
  // Units that the present fan-out has to make along the class of a dimension; 0: any number.
  u64 units_left_along(int d, const Trail& trail, int level) const;
  // Units along a dimension at most that the fan-outs below some levels make, from the first of these to before the
  // last.
  u64 most_units(int begin, int end, int d) const;
  // Units along a dimension that the unrolling asks of the fan-out below a level; 1 if it does not tell.
  u64 known_units(int level, int d) const;
  // Those of known_units() that its loops have yet to make; of a fan-out further out than the present one, if the
  // dimension is split.
  u64 known_units_left(const Trail& trail, const Reach& reach, int level, int d) const;
  // Those that all fan-outs from the present one to that below a level have yet to make.
  u64 known_units_up_to(const Trail& trail, const Reach& reach, int level, int d) const;

  // Units at most that fan-outs to come, up to that below level `outer`, make of one and that differ in their places
  // along `apart` alone: those that may unroll these dimensions have room for them, and there are tiles for each.
  u64 units_to_come(const Trail& trail, const Reach& reach, int outer, DimensionMask apart) const;
  // Units at most that all fan-outs to come make, along each dimension by itself.
  UnitsAlong units_along(const Trail& trail, const Reach& reach) const;
  // Whether all spatial loops are placed.
  bool unrolled(const Reach& reach) const;
  // Energy units of networks of fan-outs whose loops are not all placed, at least.
  u128 hops_to_come(const Trail& trail, const Reach& reach) const;
  // Whether networks of fan-outs to come cost energy.
  bool networks_to_come(const Reach& reach) const;

  // Whether a level has room for the tiles of what it keeps.
  bool fits(int level, const Extents& tile) const;
  // Dimensions of the tensors that flow into tiles of levels inside this one, and not each of whose ranks is one
  // dimension with coefficient 1; all dimensions where an average prices hops inside, which the order of loops changes.
  DimensionMask not_plain_inside(int level) const { return not_plain_inside_[level]; }
  // Whether part of a temporal loop of this level may stand in the one inside: an interconnect has no loops.
  bool loops_inside(int level) const { return level > 0 && !c_.level[level - 1].is_interconnect; }

  // What the flows share.
  DistinctPlaces& distinct_places() const { return distinct_places_; }
  TilesOfRanks& tiles_of_ranks() const { return tiles_of_ranks_; }

  UnitsInUse units_in_use(const Trail& trail, const Reach& reach) const;
  // Whether a level's instances round up blocks of words, each by itself.
  bool rounds_by_instance(int level) const { return c_.level[level].block_words != 1 && level < outermost_fanout_; }

  // Reads of the outer level, and words written into the inner one, of an output at least: what is first is not read.
  Accesses<u64> at_outer(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const;
  Accesses<u64> at_inner(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const;
  // at_outer() and at_inner() in parts of these levels' words.
  Accesses<u64> parts_at_outer(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
    return in_parts(c_.level[flow.outer], flow.tensor, at_outer(flow, words, units));
  }
  Accesses<u64> parts_at_inner(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const {
    return in_parts(c_.level[flow.inner()], flow.tensor, at_inner(flow, words, units));
  }
  // Energy units of the flow at both its ends, at least.
  u128 energy(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const;
  // Energy units of the flow at its inner end only.
  u128 energy_inside(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const;

 private:
  void add_networks(int v);
  void add_proxy(Flow& flow);
  bool tiles_of_fanout(const Trail& trail, const Reach& reach, int level, TilesInFanouts& tiles) const;
  u64 most_steps_along(int d) const;
  u64 known_units_of(int begin, int end, int d) const;
  u64 working(int level, DimensionMask along) const;
  u64 unrolled_to_come(const Trail& trail, const Reach& reach, int outer, DimensionMask apart) const;
  u64 split_left(const Trail& trail, int level, int d) const;
  u64 first_words(int v, u64 positions, u64 instances) const;
  u64 unrolled(int level, std::size_t k) const { return unrolling_->units[at(level) * classes_.size() + k]; }
  u128 ingress_energy(const Flow& flow, const FlowTraffic& words, const UnitsInUse& units) const;
  u128 level_energy(int level, int v, const Accesses<u64>& words, const UnitsInUse& units) const;

  // One axis of a fan-out that has several units, and the dimensions that it may unroll.
  struct Axis {
    u8 level;
    bool is_y;
    DimensionMask allowed;
    u64 units;
  };

  const Compiled& c_;
  KeepMasks keep_;
  Unrollable unrollable_;
  std::vector<Axis> axes_;     // innermost first
  int outermost_fanout_ = -1;  // its level
  std::vector<DimensionMask> classes_;
  const ClassUnrolling* unrolling_ = nullptr;
  std::vector<Flow> flows_, passing_;
  std::array<DimensionMask, kMaxLevels> not_plain_inside_{};
  mutable DistinctPlaces distinct_places_;
  mutable TilesOfRanks tiles_of_ranks_;
  mutable HopsToCome hops_to_come_;
};

// A flow of a partial mapping, with all that questions about its words look at.
struct PlacedFlow {
  const KeptFlows& costs;
  const Flow& flow;
  const Trail& trail;
  const Reach& reach;
  const Compiled& c;
  const CompiledTensor& t;

  PlacedFlow(const KeptFlows& its_costs, const Flow& its_flow, const Trail& its_trail, const Reach& its_reach)
      : costs(its_costs),
        flow(its_flow),
        trail(its_trail),
        reach(its_reach),
        c(costs.compiled()),
        t(c.tensor[flow.tensor]) {}

  // The coefficient of the tensor's only term of a dimension.
  u64 coefficient(int d) const { return t.by_dimension[t.first_of[d]].coefficient; }
};

// Units of a fan-out whatever loops come: what the first instance is asked for, what stays where it is, places that
// work at least.

// What the first instance of a level is asked for: it has the most to do, as all its tiles are full
// (docs/rules/any_factors.md, item 7).

// Whether requests of the compute units are all that a flow is, of a tensor without sliding ranks.
bool is_asked_by_units(const Flow& flow);

// [dimension]: how often the first instance of `flow.outer` is asked, by the loops that are placed.
std::array<TrailCells, kMaxDimensions> asked_of_first_instance(const Flow& flow, const Trail& trail);

// Requests that arrive there at least.
u64 words_of_first_instance(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach);

// What stays where it is while the first temporal loop over a dimension runs (rule 36), if it is not known how many
// units stand inside the loop (docs/rules/any_factors.md, item 3).

// Elements of a dimension at most that units hold which find no second iteration. It has `tiles` tiles where the words
// begin, or up to `more` more, of `widest` elements at most, and up to `most` units side by side. Where a tile may be
// made of units inside it, too, these count as one.
u64 most_that_stay(u64 size, u64 tiles, u64 more, u64 most, u64 widest);

// Elements at most that up to `units` units hold of any tiles and that find no second iteration.
u64 most_left_by_units(u64 size, u64 units);

// Places that work at least, if it is known how many units loops to come make, but not which loops do
// (docs/rules/any_factors.md, item 8).

// Places that work at least where loops make `units` of one dimension.
u64 working_places(u64 units);

// Elements of dimension b at most whose places in a rank leave the same rest by a step of dimension a of that rank.
u64 alike_by_step(const Compiled& c, const CompiledTensor& t, int a, int b);

// Tiles that a word crosses for at least, of the dimensions of class k, which does not index its tensor: fan-outs to
// come from that below `level` on count, of all other loops to come only the first sub-tile. `cells`: by the loops so
// far.
u64 least_cells(const KeptFlows& costs, const Trail& trail, const Reach& reach, int level, std::size_t k,
                std::span<const TrailCells> cells);

}  // namespace heliolite

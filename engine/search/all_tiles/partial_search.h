#pragma once
// Best-first search over partial mappings with any tile sizes, from the inside out. Steps:
//  1. Of all partial mappings take the one with the least bound. No mapping is below it: the bound rises as the search
//     goes on, and when it reaches the incumbent that is the optimum.
//  2. Place one more loop, or go on to the next fan-out or level.
//  3. Leave out what cannot beat the incumbent, and what another one with the same tiles dominates.
//  4. Complete mappings are priced truly. Where that is above their bound, dominance may have hidden better ones: what
//     their partial mappings have dominated is looked at after all.
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/search/all_tiles/dominance.h"
#include "engine/search/all_tiles/parts.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/core/rules.h"
#include "engine/space/symmetry.h"

namespace heliolite {

class PartialSearch {
 public:
  // Better mappings go to the incumbent. `stands_for_more`: the mapspace leaves mappings out that cost no less than
  // others, but for roundings of cycles.
  PartialSearch(const LayerProblem& problem, KeepSpaces& keeps, Incumbent& incumbent, SearchStatistics& statistics,
                bool stands_for_more = false);

  // Before the first run: divides the mappings by their unrollings, if there are few enough that can be as good as the
  // incumbent. Returns whether it did before the budget ended; else the search begins with all together.
  bool divide(const SearchBudget& budget);

  // Ends when the least bound reaches the incumbent, with the budget, or when there is no more memory, of which others
  // hold `held_elsewhere` bytes. Returns why it ended; the next call goes on from there.
  SearchEnd run(const SearchBudget& budget, u64 held_elsewhere = 0);
  // What it holds, without what all searches share.
  u64 bytes() const {
    return store_.bytes() + node_.capacity() * sizeof(Node) + bytes_of_unrollings() +
           dominated_.capacity() * sizeof(Dominated) + first_dominated_.size() * kBytesOfALink;
  }

  // No mapping is below, in units of objective_number(); the incumbent's value if `proven`.
  double lower_bound() const { return least_; }
  bool proven() const { return least_ == kNever; }
  // Whether roundings may make a mapping better that the mapspace leaves out: then the search has ended, and proves
  // nothing.
  bool reduction_unsound() const { return hides_; }
  // The bound after 4 times as many evaluations, if it rises by as much each time that these double as in the last run.
  double forecast() const;

 private:
  static constexpr u32 kNone = DominanceStore::kNone;
  static constexpr u32 kPrimes = 1 << 16;   // numbers whose least primes are remembered
  static constexpr u64 kBytesOfALink = 40;  // of first_dominated_
  // Times a value in doubles that must not be above the exact one.
  static constexpr double kBoundRounded = 1 - 1e-12;
  enum Stage : u8 { kX, kY, kTemporal, kWhole };
  // A partial mapping: its parent's with a loop more (end > 1), or one stage further.
  struct Node {
    Cost least;    // at least what every completion costs
    double bound;  // the same in units of objective_number(), rounded down
    u32 parent, end;
    u32 unrolling;  // of unrolling_; kNone: any, or nothing depends on it any more
    u32 root;       // of root_, if there is an unrolling
    u8 keep;        // of keeps_
    u8 level, stage, dimension;
    bool revived : 1 = false;     // dominated by one that has turned out to hide something
    bool leaves_out : 1 = false;  // loops that are no worse elsewhere
    DimensionMask moves = 0;      // dimensions a loop over which moves words that are in place
  };
  static_assert(sizeof(Node) == 64);
  struct Dominated {
    Node node;
    u32 next;  // by the same one; kNone: no more
  };
  enum class Loops : u8 { All, Kept, LeftOut };
  // Where loops over a dimension, each the next one of a partial mapping, are no worse.
  struct Relocation {
    bool before = false;  // inside the loop that is now the last
    // Part of them in the level inside, where one over d has `inside` iterations, and may have up to `most_inside`
    // times as many; 1: none.
    u64 inside = 0;
    u32 most_inside = 1;
  };
  // A level, and units along each dimension.
  struct UnitsOfLevel {
    int level;
    std::array<u32, kMaxDimensions> along;

    auto operator<=>(const UnitsOfLevel&) const = default;
  };
  // What is known of the mappings with a keep choice and an unrolling.
  struct Root {
    OnceCost once;
    std::shared_ptr<RestTable> table;  // of mappings that can beat the incumbent; none before its turn comes
    u8 tables = 0;                     // that it has had
    bool stands_for_image = false;     // ClassUnrolling's
  };
  // Where a node stands.
  struct Place {
    u64 room_x = 1, room_y = 1;
    DimensionMask x = 0, y = 0, temporal = 0;  // dimensions with a loop at the level
  };

  void begin();
  void expand(u32 index);
  bool split(u32 index, DimensionMask dimensions);
  void leave_images_out(std::vector<ClassUnrolling>& unrollings);
  bool divide_further(u32 index);
  bool tabulate(u32 index);
  const BoundaryTable& boundaries_of(std::size_t turn, u32 keep);
  static void raise(Cost& least, const Cost& other) {
    least = {std::max(least.energy, other.energy), std::max(least.cycles, other.cycles)};
  }
  RestOutside rest(const Node& node, const Reach& reach);
  RestOutside rest_without_hops(const Node& node, const Reach& reach);
  void raise_by_units_outside(const KeepSpace& keep, const Reach& reach, RestOutside& rest) const;
  Cost ahead(const Node& node, const Reach& reach, const RestOutside& rest);
  u64 bytes_of_unrollings() const;
  KeepSpace& space(const Node& node);
  void rebuild(u32 index);
  void spatial(const Node& node, u32 index);
  void temporal(const Node& node, u32 index, Loops which);
  void next_stage(const Node& node, u32 index);
  bool may_loop(int level, int d) const;
  Relocation relocation(const Node& node, int d) const;
  bool is_relocated(const Relocation& known, const Node& node, int d, u32 end);
  bool is_no_worse_before(const Node& node, int d) const;
  u64 iterations_inside(const Node& node, int d) const;
  bool fits_inside(const Node& node, int d, u32 times) const;
  u32 most_that_fits_inside(const Node& node, int d) const;
  bool is_no_worse_inside(const Node& node, int d, u32 end, const Relocation& known);
  u32 least_part(u32 end);
  void readmit_pruned_loops();
  bool moves_places(int d) const { return symmetry_ && symmetry_->image(d) != d; }
  bool is_mirrored(const Node& node) const;
  bool stands_for_image(const Node& node) const { return node.root != kNone && root_[node.root].stands_for_image; }
  bool has_axis(int level, Stage axis) const;
  bool spatial_done(const Node& node) const;
  bool may_have_more_columns(const Node& node, int d, u32 end);
  bool has_room_for_rest(int level, u64 room, const KeptFlows& costs) const;
  bool is_done(const Node& node);
  bool can_be_gone_through(int level) const;
  void advance_stage(Node& node);
  bool has_loops(const Node& node) const;
  bool temporal_done(int level) const;
  template <class Take>
  void each_end(int level, int d, Take take);
  const std::vector<u32>* few_ends(int level, int d);
  bool interrupted();
  bool child(Node node);
  Node looped(u32 parent, u8 d, u32 end) const;
  bool with_loop(Node node, LoopKind kind, u32 end);
  bool fits(int level, u32 choice) const;
  Reach reach(const Node& node) const;
  Place fresh_place(int level) const;
  u64 trail_units() const;
  bool leaves_too_many_idle(int level, const Reach& reach) const;
  bool dominated(const Node& node, u32 index, const Reach& reach, const KeptFlows& costs);
  bool dominated_again(u32 index);
  void revive(u32 whole);
  void other_ends(u32 index);
  void complete(const Node& node, u32 index);
  Mapping mapping(const KeepMasks& keep) const;
  bool cut(Rule rule, const Cost& least) {
    return gate_.prunes(rule, [&] { return incumbent_.cuts(least); });
  }
  void push(const Node& node);
  void into_heap();
  bool later(u32 a, u32 b) const;

  const LayerProblem& problem_;
  const bool stands_for_more_;
  const Compiled& c_;
  KeepSpaces& keeps_;
  const LoopLimits limits_;
  const bool dominance_;
  Incumbent& incumbent_;
  SearchStatistics& statistics_;
  Gate gate_;
  bool other_ends_ = false;  // ends that are no candidates may cost less than their bounds say of the candidates
  bool leaves_out_ = true;   // loops that are no worse elsewhere; no more once dominance has hidden something
  std::array<DimensionMask, kMaxLevels> unrolled_outside_{};  // [level]: dimensions with fan-outs further out
  std::vector<std::vector<u8>> spatial_order_;                // [level]
  std::optional<Symmetry> symmetry_;                          // none: the rule is off, or there is none
  std::array<u8, kMaxDimensions> lowest_{};                   // of the dimensions that one may change places with
  int moved_ = 0;  // loops of the node's trail inside the first over a dimension that changes places
  std::vector<ClassUnrolling> unrolling_;
  std::vector<Root> root_;                                  // of each keep choice and unrolling
  std::vector<TileRanges> root_ranges_;                     // of their tables, those made later narrower
  std::vector<std::unique_ptr<BoundaryTable>> boundaries_;  // [of root_ranges_][keep choice]
  u64 bytes_of_tables_ = 0;
  DimensionMask split_ = 0;  // dimensions of classes with some that slide
  Growing<Node> node_;
  std::vector<u32> heap_, fresh_;         // nodes to expand, and those that the last one has made
  const SearchBudget* budget_ = nullptr;  // of the run
  u64 held_elsewhere_ = 0, loops_ = 0;    // bytes of others in it; loops tried
  SearchEnd interrupted_ = SearchEnd::Done;
  DominanceStore store_;
  Trail trail_;
  std::array<u32, kMaxLoops> before_{};  // [loop of the trail]: the node that it was added to
  Place place_;
  Profile profile_;
  std::vector<u64> key_;
  std::vector<u32> way_;
  std::unordered_map<u64, std::vector<u32>> candidates_;  // [a loop's place]: candidate_ends()
  Growing<Dominated> dominated_;
  std::unordered_map<u32, u32> first_dominated_;  // [node]: of dominated_
  std::map<UnitsOfLevel, std::vector<u64>> most_columns_;
  std::vector<u32> least_part_;  // [iterations below kPrimes]; 0: not known yet
  double least_ = kNever;
  u64 evaluated_ = 0;
  double least_before_ = kNever;  // the last run
  u64 evaluated_before_ = 0;
  bool begun_ = false, hides_ = false;
};

}  // namespace heliolite

#pragma once
// A flow while a mapping is built: words that a loop has moved, whose number is known, and words still in place.
#include <span>

#include "engine/search/all_tiles/flows.h"

namespace heliolite {

// Tiles of the dimensions that do not index the tensor, as often as each of its words crosses.
using OtherCells = std::array<TrailCells, kMaxDimensions>;

// Words that cross together. Units that share requests: only the first of each fan-out up to the outer level counts.
struct FlowPart {
  FlowTraffic words;
  OtherCells fetched, shared;
  // By a network, of each dimension that idles: of `shared` those in the fan-out's last context.
  std::array<TrailCells, WordHops::kMostIdle> last_context;
};

// [set of dimensions that idle in a network]: how often words are carried while these are in their last contexts.
using SetTimes = std::array<u64, WordHops::kSets>;

// Classes of dimensions by their numbers.
using ClassSet = u16;

// What the loops placed so far say of one flow. Made for each flow of each partial mapping: what is only read after it
// has been written has no initialisers.
class OpenFlow {
 public:
  // `along`: KeptFlows::units_along() of the same trail and reach.
  OpenFlow(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach, const UnitsAlong& along);

  const Flow& flow() const { return *flow_; }
  const FlowTraffic& closed() const { return closed_; }  // at least, of what has been moved
  const WordHops& hops() const { return hops_; }         // of a flow by a network
  // How often any of the words that have been moved are carried at least.
  const SetTimes& fewest_carried() const { return fewest_; }
  static constexpr int kParts = 5;  // more are not told apart
  bool open() const { return open_.words.fetched != 0 || open_.words.shared != 0; }
  const FlowPart& in_place() const { return open_; }
  // Words of a sliding tensor in place that several units hold, once more for each further one.
  const FlowTraffic& again() const { return again_; }
  // Tiles of a dimension that the flow's boundary has, or the fewest of a range.
  u32 tiles_at_boundary(int d) const { return base_tiles_[d]; }
  u64 tile_at_boundary(int d) const { return base_[d]; }
  // What crosses at least of a sliding tensor that no loop has moved, as every tile comes whole once; 0: not known.
  const FlowTraffic& whole_once() const { return whole_once_; }
  // What has been moved, if units of fan-outs to come share it: its number is not known exactly.
  std::span<const FlowPart> shared_later() const { return {part_.data(), shares_later_ ? at(parts_) : 0}; }

  // All words at least, if the first loop that moves what is in place is over dimension `mover`, and only loops over
  // those of classes `inside` come before it. Classes are KeptFlows::classes().
  FlowTraffic total(ClassSet inside, int mover) const;
  // Whether all words are never more if dimension a is the mover than if b is.
  bool moves_no_more(int a, int b) const;
  // All words at least if no loop moves what is in place: never more.
  FlowTraffic least() const;

 private:
  using Tiles = std::array<u32, kMaxDimensions>;

  void start(const Trail& trail);
  void close_what_is_not_held(const Trail& trail);
  u64 may_stay_of_proxy(const Trail& trail) const;
  u64 may_be_held(const Trail& trail, u64 box, int d) const;
  void temporal(const TrailLoop& loop);
  void spatial(const TrailLoop& loop);
  void move(const TrailLoop& loop);
  void move_sliding(const TrailLoop& loop);
  u64 still(const TrailLoop& loop) const;
  u64 moved_by(const TrailLoop& loop, u64 extent) const;
  void look_at_halos(const Trail& trail, u64 together);
  u64 least_rank_words(int rank, const Trail& trail) const;
  DimensionMask ranks_along(int d) const;
  u64 box_words(int rank, const Tiles& tiles) const;
  u64 rank_words(int rank, const TrailLoop& loop, u64 extent) const;
  void share_tiles(const Trail& trail, u64 together);
  void ask(const PlacedFlow& placed);
  void close(const FlowTraffic& words);
  u64 only_at_end(int d, u64 extent) const;
  u64 part_of_rank(int d, u64 extent) const;
  bool unrolls_later(int d) const { return units_to_come_[d] != 1; }
  bool outermost_loops_left(int d) const { return outermost_ && !unrolls_later(d); }
  u64 most_units(int d) const { return units_[d] * units_to_come_[d]; }
  u64 may_stay(const Trail& trail, int d) const;
  void look_outside(const KeptFlows& costs, const Trail& trail, const Reach& reach);
  u64 may_stay_along(const Trail& trail, int d) const;
  u64 all_times(const OtherCells& cells, const Trail& trail) const;    // if all loops to come count
  u64 first_times(const OtherCells& cells, const Trail& trail) const;  // if of all only the first sub-tile does
  u64 shared_times(const FlowPart& part, const Trail& trail) const;
  u64 divided(u64 times, u64 least) const;
  void count_carried(const FlowPart& part, const Trail& trail);
  SetTimes carried(ClassSet inside) const;
  FlowTraffic with_hops(FlowTraffic words, const SetTimes& times) const;
  int idle_number(int d) const;

  const Compiled& c_;
  const CompiledTensor& t_;
  const Flow* flow_;
  u64 room_;                                // units of fan-outs to come that share requests, at most
  bool shares_later_;                       // there are fan-outs to come up to the outer level
  bool outermost_;                          // only loops of the outermost level are to come
  std::array<u64, kMaxDimensions> inside_;  // of a proxy: units along each dimension inside its tile, at most
  bool held_ = false;                       // of a proxy: its smallest tile may be whole in the tensor's own tiles
  UnitsAlong units_to_come_;                // along each dimension, at most
  bool moving_ = false;                     // some loop has moved a sliding tensor
  Tiles tiles_;                             // of the present tile
  Tiles base_tiles_;
  std::array<u64, kMaxDimensions> base_;
  std::array<u64, kMaxDimensions> units_;  // product of the spatial loops so far
  std::array<u64, kMaxDimensions> still_;  // words of the dimension that no loop has moved
  DimensionMask looped_ = 0;               // dimensions with a temporal loop so far
  FlowPart open_;
  FlowTraffic again_{};
  std::array<u64, kMaxRanks> held_along_;  // of a sliding tensor: words of a rank that units hold together, at least
  FlowTraffic whole_once_{};
  std::array<FlowPart, kParts> part_;
  int parts_ = 0;
  FlowTraffic closed_{};
  WordHops hops_;
  SetTimes fewest_;

  // What is in place, for each class: tiles of its dimensions that the words cross for, if all loops to come count and
  // if of all only the first sub-tile does.
  struct Outside {
    FlowTraffic all, first;
    u64 all_act, first_act;  // of `shared`, by a network, without dimensions that idle
  };
  // What is in place, if the next loop over a dimension of the tensor is over this one: the words that it may leave
  // where they are; of a sliding tensor that no loop has moved, those that cross at least.
  struct Mover {
    u64 stays;
    FlowTraffic come;
  };
  // The dimensions that do idle.
  struct Idle {
    int of_class;
    std::array<u64, 2> all, first;  // [whether it is in the fan-out's last context]
  };
  std::array<Outside, kMaxDimensions> outside_;
  std::array<Mover, kMaxDimensions> mover_;  // [dimension]
  std::array<Idle, WordHops::kMostIdle> idle_;
  int classes_ = 0;
  FlowTraffic once_{1, 1};  // the product of the first ones
};

}  // namespace heliolite

#pragma once
// The steps that build a partial mapping from the inside out: what each loop, fan-out and level makes of its flows.
#include <array>
#include <cstdint>

#include "engine/model/ramps.h"
#include "engine/search/exact/flow_costs.h"
#include "engine/search/exact/ordering_bound.h"

namespace heliolite {

// A partial mapping as the exact search sees it: the loops up to some tile are placed, and every flow out of the tiles
// inside is either closed (its words are known) or still in place (no loop so far has moved it).

// What a sliding flow knows of words from peers at the fan-out directly outside its tile (peer_flows.cpp).
// While it has any, the cost of serving it stays apart from that of filling the tile, even when it has arrived.
struct FlowPeers {
  const PeerSite* site = nullptr;  // null: no further words come from peers
  bool apart = false;              // some words do, or may
  bool exact = true;               // as PeerSite::exact
  bool unit = false;               // among compute units: each asks for a word at every step, whether it moves or not
  bool arrived = false;            // the fan-outs on the way to the server are all placed
  DimensionMask first = 0;         // while the tile waits: loops of which one must come next if words shall move on
  u32 first_iterations = 1;        // of the first loop that moves the tile
  double most_saved = 0;           // as PeerSite::most_saved; while the tile waits, of what the loops left can make
  double saved = 0, over = 0;      // of `fetched`: what the sender need not send, and what receivers take instead
};

// A flow of a tensor with a sliding rank. Its neighbouring tiles overlap, so that loops find part of the tile in place
// even after it has begun to move.
struct SlidingFlow {
  u8 tensor;
  std::int8_t start;     // level of the tile; -1: a word of a compute unit
  bool moving;           // some loop has moved the tile
  Channels fill, serve;  // cost of fetching the whole tile once, on both ends of the flow
  double fetched;        // how often the whole tile is fetched for each iteration outside, in words; fractions count
  double delta;          // share of the tile that is new after each step of the first loop that moves it
  double full;           // words of the tile
  double least;          // lower bound of `fetched` over all orders, reuse by fan-outs included
  bool keeps;            // the level keeps the tile; else it counts for its hops alone
  FlowPeers peers;       // of the fan-out directly outside the tile
  std::array<i64, kMaxRanks> extent;  // [rank]: of the tile's box
  std::array<i64, kMaxRanks> first;   // [rank]: by how much a step of the first moving loop shifts the tile
  std::array<i64, kMaxRanks> inner;   // [rank]: sum of the shifts of one step of each moving loop so far

  // While the tile waits, of these costs of filling it and of serving that: what words from peers may leave of them.
  double least_fill(double cost) const { return peers.apart && !peers.exact ? 0 : cost; }
  double least_serve(double cost) const { return peers.apart ? cost * (1 - peers.most_saved) : cost; }
};

inline constexpr int kMaxSlidingFlows = 16;

// What is known of words from peers at the fan-outs placed so far.
struct PeerState {
  u16 fanouts = 0;       // mask of levels: below them words come from peers
  bool inexact = false;  // at some of them the sums are lower bounds of what these words cost
};

// What a partial mapping is but for what its flows cost: a frontier keeps it as it is.
struct PlacedState {
  LatticePoint tile;    // extent of all loops placed, by dimension
  u64 signature = 0;    // hash of the words of the closed flows, independent of their order
  double rounding = 0;  // energy units that rounding to blocks can add to flows begun so far
  u64 room = 0;         // parts of words that the level's tile takes, and levels inside that share its room
  u32 machine = 0;      // index into FlowCosts::machine
  u32 servers = 0;      // the set of servers (ServerSets) of the stage after the last level placed
  PeerState peers;
  u16 idle = 0;  // mask of the channels that forget_idle() has set to 0
  u8 sliding_count = 0;
};

// The search copies partial mappings all the time: only the elements of tensors and channels in use are set and copied,
// the rest of each array is undefined.
struct PartialMapping : PlacedState {
  double iterations = 1;                          // of all loops still to be placed, temporal and spatial
  Channels sum;                                   // cost of closed flows
  std::array<Channels, kMaxTensors> pending;      // [tensor]: serve side of closed flows, fan-outs are still to come
  std::array<Channels, kMaxTensors> fill, serve;  // [tensor]: of its flows in place, for each iteration outside
  TensorMask in_place = 0;                        // tensors with such a flow
  Channels refund;                                // per output word, times the instances that share it so far
  std::array<u64, kMaxChannels> split;            // [bandwidth's channel]: hash of what each tensor has in `sum`
  std::array<double, kMaxLevels> instances;       // [level]: instances in use of the fan-out below it; 1: to come
  double units = 1;                               // product of `instances`
  RampSums ramps;                                 // where they matter (FlowCosts::ramps)
  bool ramped = false;                            // they do
  u8 tensor_count;
  u8 channel_count;
  std::array<SlidingFlow, kMaxSlidingFlows> sliding;

  // No loop is placed.
  PartialMapping(int tensors, std::size_t channels);
  PartialMapping(const PartialMapping& other) : PlacedState(other) { copy_costs(other); }
  PartialMapping& operator=(const PartialMapping& other) {
    PlacedState::operator=(other);
    copy_costs(other);
    return *this;
  }

 private:
  // Copies what is not PlacedState, as much of each array as is in use.
  void copy_costs(const PartialMapping& other);
};

// Summand of PartialMapping::split: a closed flow of a tensor that takes `cycles` of a bandwidth; 0 if none.
u64 split_hash(int tensor, double cycles);

// The steps that build a partial mapping, in nest order.
class NestSteps {
 public:
  explicit NestSteps(const FlowCosts& model) : m_(model), c_(*model.compiled), classes_(c_) {}

  // No loop is placed: only the flows out of the MACs, on machine `machine`, with set `servers` of the stage -1.
  PartialMapping root(u32 machine, u32 servers) const;
  // Places the loops of the fan-out below `level`.
  void unroll(PartialMapping& s, int level, const SpatialChoice& choice) const;
  // Places a temporal loop over dimension d. `left[e]`: iterations of dimension e outside the loop; a sliding flow that
  // can reuse nothing in them is closed.
  void loop(PartialMapping& s, int d, u32 iterations, const Extents& left) const;
  // All loops of `level` are placed: the flows out of its tile begin, and the stage after it has the set `servers`,
  // which must be able to follow that of s. False if there is no room for one more flow.
  bool start(PartialMapping& s, int level, u32 servers) const;
  // Sets the channels of bandwidths to 0 that cannot delay any completion more than the compute units do. Only
  // bandwidths of `level` and the levels inside, where every flow that they carry has begun. Returns how many.
  int forget_idle(PartialMapping& s, int level) const;
  // Makes s the partial mapping with the dimensions of a symmetry swapped (FlowCosts::symmetry).
  void swap(PartialMapping& s) const;
  // All loops are placed: flows still in place are fetched once.
  void finish(PartialMapping& s) const;
  // Whether the next loop may decide which words come from peers, or what they cost is not known.
  static bool peers_open(const PartialMapping& s);
  // Whether words of a flow into the tile of level `fanout` - 1 may still come from peers.
  static bool may_use_peers(const PartialMapping& s, int fanout);
  // Energy and cycles of the words that receivers take from peers when a flow is fetched so often.
  Channels peer_cost(const PartialMapping& s, const SlidingFlow& flow, double over, double times) const;

 private:
  void hold(PartialMapping& s, int level, TensorMask kept) const;
  void drop_free_flows(PartialMapping& s) const;
  void settle(PartialMapping& s, int v, std::size_t channel, double cost) const;
  void close(PartialMapping& s, int v, const Channels& fill, const Channels& serve, double times) const;
  void close(PartialMapping& s, const SlidingFlow& flow, double times) const;
  void move(const PartialMapping& s, SlidingFlow& flow, int d, u32 iterations) const;
  bool can_still_gain(const SlidingFlow& flow, const Extents& left) const;
  void meet_units(PartialMapping& s, const SpatialChoice& choice, int v, bool arrived) const;
  double least_fetched(const SlidingFlow& flow, const Extents& tile) const;
  double look_for_peers(PartialMapping& s, int level, const SpatialChoice& choice, int v) const;
  MulticastRange begin_peers(const PartialMapping& s, int level, const SpatialChoice& choice, SlidingFlow& flow) const;
  void list_first_peers(SlidingFlow& flow, int level, const Extents& tile) const;
  void begin_filling(PartialMapping& s, int level, int v, const SpatialChoice& choice) const;
  void first_peer_loop(SlidingFlow& flow, int d, u32 iterations) const;
  void next_peer_loop(SlidingFlow& flow, int d, u32 iterations, const RankMove& own) const;
  void move_units(SlidingFlow& flow, int d, u32 iterations, u32 tile) const;
  bool can_still_use_peers(const SlidingFlow& flow, const Extents& left) const;
  static void settle_peers(PartialMapping& s, SlidingFlow& flow);

  const FlowCosts& m_;
  const Compiled& c_;
  LoopClasses classes_;
};

}  // namespace heliolite

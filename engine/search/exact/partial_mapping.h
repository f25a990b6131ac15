#pragma once
// A partial mapping as the exact search sees it: the loops up to some tile are placed, and every flow out of the tiles
// inside is either closed (its words are known) or still in place (no loop so far has moved it).
#include <array>

#include "engine/search/exact/flow_costs.h"
#include "engine/search/exact/loop_set.h"

namespace heliolite {

// A flow of a tensor with a sliding rank. It can take over part of its tile after it has begun to move.
struct SlidingFlow {
  u8 tensor;
  u8 start;  // level
  bool moving;
  Channels fill, serve;  // of fetching the whole tile once, for every iteration outside
  double fetched;        // tiles' worth of words for each iteration outside
  double delta;          // share of the tile that the first moving loop makes new
  double full;           // words of the tile
  double least;          // fetches that every order needs, fan-outs included, for each iteration outside
  std::array<i64, kMaxRanks> extent;
  std::array<i64, kMaxRanks> first;  // move of the first moving loop
  std::array<i64, kMaxRanks> inner;  // sum of the moves so far
};

inline constexpr int kMaxSlidingFlows = 16;

// The search copies states all the time: only what is in use is set and copied, the rest of each array is undefined.
struct PartialMapping {
  LatticePoint tile;                              // of everything placed
  double iterations = 1;                          // outside, over all instances
  Channels sum;                                   // of closed flows
  std::array<Channels, kMaxTensors> pending;      // closed, serve side: fan-outs are still to come
  std::array<Channels, kMaxTensors> fill, serve;  // in place, for each iteration outside
  TensorMask in_place = 0;                        // tensors with such a flow
  Channels refund;                                // of each output word, receivers that share it so far included
  u64 signature = 0;                              // of the closed flows' words, whatever their order
  std::array<double, kMaxLevels> instances;       // used by the fan-outs so far, by level
  double units = 1;                               // their product
  u8 tensor_count;
  u8 channel_count;
  u16 idle = 0;  // channels forgotten
  u32 machine = 0;
  u8 sliding_count = 0;
  std::array<SlidingFlow, kMaxSlidingFlows> sliding;

  // Nothing placed.
  PartialMapping(int tensors, std::size_t channels);
  PartialMapping(const PartialMapping& other) { *this = other; }
  PartialMapping& operator=(const PartialMapping& other);
};

// The changes to a state, in nest order.
class NestSteps {
 public:
  explicit NestSteps(const FlowCosts& model) : m_(model), c_(*model.compiled), classes_(c_) {}

  // Before anything: the MACs' own flows, on one of the machines.
  PartialMapping root(u32 machine) const;
  // The loops of the fan-out below `level`.
  void unroll(PartialMapping& s, int level, const SpatialChoice& choice) const;
  // A temporal loop over dimension d. `left`: iterations of each dimension outside the loop, for sliding flows that
  // have nothing to gain any more.
  void loop(PartialMapping& s, int d, u32 iterations, const Extents& left) const;
  // All loops of `level` are placed: the flows out of its tile begin. False if there is no room for one more flow.
  bool start(PartialMapping& s, int level) const;
  // Forgets the bandwidths that cannot delay any completion more than the compute units do: those of `level` and the
  // levels inside, where every flow that they carry has begun. Returns how many.
  int forget_idle(PartialMapping& s, int level) const;
  // All loops are placed: what is in place is fetched once.
  void finish(PartialMapping& s) const;

 private:
  void close(PartialMapping& s, int v, const Channels& fill, const Channels& serve, double times) const;
  void move(PartialMapping& s, SlidingFlow& flow, int d, u32 iterations, const Extents& left) const;
  bool can_still_gain(const SlidingFlow& flow, const Extents& left) const;

  const FlowCosts& m_;
  const Compiled& c_;
  LoopClasses classes_;
};

}  // namespace heliolite

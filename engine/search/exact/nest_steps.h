#pragma once
// The steps that build a partial mapping from the inside out: what each loop, fan-out and level makes of its flows.
#include "engine/search/exact/loop_set.h"
#include "engine/search/exact/partial_mapping.h"

namespace heliolite {

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
  // The same partial mapping with the dimensions of a symmetry swapped (FlowCosts::symmetry).
  void swap(PartialMapping& s) const;
  // All loops are placed: flows still in place are fetched once.
  void finish(PartialMapping& s) const;
  // Whether the next loop may decide which words move on by links, or what they cost is not known.
  static bool links_open(const PartialMapping& s);
  // Whether words of a flow into the tile of level `fanout` - 1 may still come to move on by links.
  static bool may_link(const PartialMapping& s, int fanout);
  // Energy and cycles of the words that receivers take from neighbours when a flow is fetched so often.
  Channels peer_cost(const PartialMapping& s, const SlidingFlow& flow, double over, double times) const;

 private:
  void drop_free_flows(PartialMapping& s) const;
  void settle(PartialMapping& s, int v, std::size_t channel, double cost) const;
  void close(PartialMapping& s, int v, const Channels& fill, const Channels& serve, double times) const;
  void close(PartialMapping& s, const SlidingFlow& flow, double times) const;
  void move(const PartialMapping& s, SlidingFlow& flow, int d, u32 iterations) const;
  bool can_still_gain(const SlidingFlow& flow, const Extents& left) const;
  double look_for_links(PartialMapping& s, int level, const SpatialChoice& choice, int v) const;
  MulticastRange begin_links(const PartialMapping& s, int level, const SpatialChoice& choice, SlidingFlow& flow) const;
  void list_first_links(SlidingFlow& flow, int level, const Extents& tile) const;
  void begin_filling(PartialMapping& s, int level, int v, const SpatialChoice& choice) const;
  void first_link(SlidingFlow& flow, int d, u32 iterations) const;
  void next_link(SlidingFlow& flow, int d, u32 iterations, const RankMove& own) const;
  bool can_still_link(const SlidingFlow& flow, const Extents& left) const;
  static void settle_links(PartialMapping& s, SlidingFlow& flow);

  const FlowCosts& m_;
  const Compiled& c_;
  LoopClasses classes_;
};

}  // namespace heliolite

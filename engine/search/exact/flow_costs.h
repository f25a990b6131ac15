#pragma once
// The cost model as sums over flows, for searches that place loops from the inside out (docs/rules/exact.md).
//
// A flow is the traffic of one tensor between a tile and the next level further out that keeps the tensor; the tile is
// that of a level that keeps the tensor, or the word of a MAC. Everything a mapping costs is linear in the words of its
// flows: energy, and for each bandwidth the cycles it needs. These linear functions are the channels. Words count over
// all instances: a flow moves its tile once for each iteration outside that does not find it in place.
//
// What is left out is small and never negative (blocks begun, energy of routers and ingress): sums are lower bounds,
// and `exact` says whether only the rounding to blocks is missing.
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/exact/fanout.h"
#include "engine/space/symmetry.h"

namespace heliolite {

inline constexpr int kMaxChannels = 16;

// [channel]: energy units (2^-32 pJ), or cycles. Channel 0 is energy.
using Channels = std::array<double, kMaxChannels>;

// What a channel counts.
struct Channel {
  enum class Kind : u8 {
    Energy,  // energy units of the levels whose instances share no accesses
    Shared,  // energy units of `level`, whose clusters share accesses: times min(1, clusters / instances in use)
    Cycles,  // words over one bandwidth of `level`, summed over its instances: divide by the instances in use
  };
  Kind kind = Kind::Energy;
  int level = -1;  // -1 for Energy
};

// What a word of a flow costs, by channel: at the level that it fills and at the level that serves it.
struct FlowPrice {
  Channels fill{};
  Channels serve{};
  int serving_level = 0;
  int last_fanout = -1;  // level of the outermost fan-out between the two; -1: none
};

// What one keep choice makes of a level.
struct ExactLevel {
  TensorMask keep = 0;
  TensorMask starts = 0;  // tensors with a flow out of this level's tile: kept ones, and those whose hops count
  // Dimensions along which no tensor slides that the level's tile matters to: those with a flow out of it, and all if a
  // fan-out follows, whose instances share words according to the tile.
  DimensionMask standalone = 0;
  // Levels that are stores of one memory share its room: the tensors of those outside this one, and whether there are
  // any, or any inside.
  TensorMask kept_outside = 0;
  bool shares_outside = false, shares_inside = false;
  double least_sharing = 1;  // least of min(1, clusters / instances in use) over all unrollings
};

// What words cost on one machine.
struct FlowPrices {
  struct Level {
    std::array<FlowPrice, kMaxTensors> flow;  // [tensor]: of the flow out of this level's tile
    Channels refund{};                        // per output word: its first read (and fill) is elided
  };
  std::array<FlowPrice, kMaxTensors> mac;  // [tensor]: of the flow out of the MACs
  std::vector<Level> level;                // [level]
  double constant = 0;                     // energy units of all MACs

  // The price of tensor v's flow out of level i; -1: out of the MACs.
  FlowPrice& flow(int i, int v) { return i < 0 ? mac[at(v)] : level[at(i)].flow[at(v)]; }
  const FlowPrice& flow(int i, int v) const { return const_cast<FlowPrices*>(this)->flow(i, v); }
};

// The flows of one keep choice and their prices.
struct FlowCosts {
  const LayerProblem* problem;
  const Compiled* compiled;
  std::array<TensorMask, kMaxLevels> keep;  // [level]: tensors kept
  Lattice lattice;                          // of the layer's sizes
  std::vector<Channel> channels;            // at most kMaxChannels; the first is energy
  std::vector<ExactLevel> level;            // [level]
  std::span<const FanoutChoices> fanout;    // [level]: the fan-out below it
  FlowPrices least{};                       // the least prices of all machines, and their largest refunds
  std::vector<FlowPrices> machine{};        // [machine]: one, or those of the problem's family
  int output = 0;                           // the output's tensor
  std::optional<Symmetry> symmetry{};       // rule symmetry; none: it is off, or there is none
  bool timed = false;                       // the objective depends on cycles
  bool leaks = false;                       // energy depends on cycles
  bool exact = true;                        // only rounding to blocks is left out
  // [i]: energy units that rounding to blocks can add to the flows that start at the MACs or levels up to i.
  std::array<double, kMaxLevels> rounding{};
  double macs = 1;  // MACs of the layer

  int levels() const { return static_cast<int>(level.size()); }
  // Whether level i of some machine has room for the tile (extents by dimension), if levels inside that share it need
  // nothing; those outside have at least this tile.
  bool fits(int i, const Extents& tile) const;
  // The same if levels inside that share the room take `inside` words.
  bool has_room(int i, u64 inside, const Extents& tile) const;
  // Words that level i takes for the tile.
  u64 used(int i, const Extents& tile) const;
  // Whether level i of the machine and all levels outside it have room for the tile.
  bool holds(u32 machine, int i, const Extents& tile) const;
  // Whether another machine of the family that is nowhere dearer has a smaller memory that holds the tile of level i,
  // or of a level outside it whose tile is the same (rule smallest-memory).
  bool needless(u32 machine, int i, const Extents& tile) const;
  // Outermost level at which the machines of the family differ; -1: there is none.
  int last_swept() const { return problem->family ? problem->family->last_swept() : -1; }
};

// The flows of one keep choice. The result refers to the problem and the fan-outs, which must outlive it.
FlowCosts make_flow_costs(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep,
                          const Lattice& lattice, std::span<const FanoutChoices> fanouts);

}  // namespace heliolite

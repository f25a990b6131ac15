#pragma once
// The cost model as sums over flows, for searches that place loops from the inside out (docs/rules/exact.md).
//
// A flow is the traffic of one tensor out of one tile: from the level that keeps the tile (or the MACs) to the next
// level that keeps the tensor. Everything a mapping costs is linear in the words of its flows: energy, and for each
// bandwidth the cycles it needs. These linear functions are the channels. Words count over all instances: a flow
// moves its tile once for each iteration outside that does not find it in place.
//
// What is left out is small and never negative (blocks begun, energy of routers and ingress): sums are lower bounds,
// and `exact` says whether only the rounding to blocks is missing.
#include <array>
#include <span>
#include <vector>

#include "engine/search/exact/fanout.h"

namespace heliolite {

inline constexpr int kMaxChannels = 16;

// Per channel: energy units (2^-32 pJ), or cycles.
using Channels = std::array<double, kMaxChannels>;

struct Channel {
  enum class Kind : u8 {
    Energy,  // of all levels without clusters
    Shared,  // of `level`, whose clusters share accesses: counts times min(1, clusters / instances in use)
    Cycles,  // of `level`: words over a bandwidth, to be divided by its instances in use
  };
  Kind kind = Kind::Energy;
  int level = -1;
};

// What a word costs: where it is stored (fill), and where it comes from (serve).
struct FlowPrice {
  Channels fill{};
  Channels serve{};
  int serving_level = 0;
  int last_fanout = -1;  // the last fan-out on the way there; -1: none
};

struct ExactLevel {
  TensorMask keep = 0;
  TensorMask starts = 0;     // tensors with a flow out of this level's tile: kept ones, and those whose hops count
  double least_sharing = 1;  // least of min(1, clusters / instances in use)
};

// What words cost on one machine.
struct FlowPrices {
  struct Level {
    std::array<FlowPrice, kMaxTensors> flow;  // of flows that start here
    Channels refund{};                        // of the output, per word that is not read before its first write
  };
  std::array<FlowPrice, kMaxTensors> mac;  // of the MACs' own flows
  std::vector<Level> level;
  double constant = 0;  // energy of the MACs

  // Of tensor v from level i (-1: the MACs).
  FlowPrice& flow(int i, int v) {
    return i < 0 ? mac[static_cast<std::size_t>(v)]
                 : level[static_cast<std::size_t>(i)].flow[static_cast<std::size_t>(v)];
  }
  const FlowPrice& flow(int i, int v) const { return const_cast<FlowPrices*>(this)->flow(i, v); }
};

struct FlowCosts {
  const LayerProblem* problem;
  const Compiled* compiled;
  std::array<TensorMask, kMaxLevels> keep;
  Lattice lattice;
  std::vector<Channel> channels;
  std::vector<ExactLevel> level;
  std::span<const FanoutChoices> fanout;  // [i]: below level i
  FlowPrices least{};                     // of all machines; refunds: the most
  std::vector<FlowPrices> machine{};      // one, or those of the problem's family
  int output = 0;
  bool timed = false;  // the objective depends on cycles
  bool leaks = false;  // energy does
  bool exact = true;   // only rounding to blocks is left out
  // [i]: energy units that rounding to blocks can add to the flows that start at the MACs or levels up to i.
  std::array<double, kMaxLevels> rounding{};
  double macs = 1;

  int levels() const { return static_cast<int>(level.size()); }
  // Whether some machine's level i has room for the tile.
  bool fits(int i, const Extents& tile) const;
  // Whether the machine's levels i and outside it have room for it.
  bool holds(u32 machine, int i, const Extents& tile) const;
  // Whether a machine that is nowhere dearer holds the tile of level i as well; of the levels that follow too, as far
  // as their tile is the same.
  bool needless(u32 machine, int i, const Extents& tile) const;
  // Outermost level where machines differ; -1: none.
  int last_swept() const { return problem->family ? problem->family->last_swept() : -1; }

 private:
  u64 used(int i, const Extents& tile) const;
};

// Refers to the problem and the fan-outs.
FlowCosts make_flow_costs(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep,
                          const Lattice& lattice, std::span<const FanoutChoices> fanouts);

}  // namespace heliolite

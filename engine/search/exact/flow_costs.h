#pragma once
// The cost model as sums over flows, for searches that place loops from the inside out (docs/rules/exact.md).
//
// A flow is the traffic of one tensor between a tile and its server, the next level further out that keeps the tensor;
// the tile is that of a level that keeps the tensor, or the word of a MAC. Everything a mapping costs is linear in the
// words of its flows: energy, and for each bandwidth the cycles it needs. These linear functions are the channels.
// Words count over all instances: a flow moves its tile once for each iteration outside that does not find it in place.
//
// What is left out is small and never negative (blocks begun, energy of routers, and of ingress below levels that a
// word passes by): sums are lower bounds, and `exact` says whether only the rounding to blocks is missing.
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/exact/fanout.h"
#include "engine/search/exact/peer_sites.h"
#include "engine/space/symmetry.h"

namespace heliolite {

// Which level serves which tensor: what a partial mapping has to know of the keep choice (docs/rules/exact.md).
//
// The server of a tensor is the next level further out that keeps it: the one that the flow on its way asks. It is
// chosen when the flow begins, so that the flow's price is known from then on, and the levels up to the server bypass
// the tensor. What a level keeps follows: the tensors that it serves.

// The servers of all tensors in every combination that a range of keep choices leaves, numbered stage by stage. Stage i
// is the one after level i; stage -1, the one before the innermost level.
class ServerSets {
 public:
  // The outermost level must keep every tensor.
  ServerSets(const KeepRange& keep, int levels, int tensors);

  // Whether no stage of a range has more sets than this class is made for.
  static bool few(const KeepRange& keep, int levels, int tensors);

  // Sets of a stage; the one after the outermost level has a single set, in which nothing is served any more.
  std::size_t count(int stage) const { return stage_[place(stage)].size(); }
  // The level that serves the tensor in set `set` of the stage.
  int server(int stage, u32 set, int tensor) const { return stage_[place(stage)][set].level[slot(tensor)]; }
  // The tensors that a level keeps if the stage before it has this set.
  TensorMask kept(int level, u32 set) const { return stage_[place(level - 1)][set].kept; }
  // The sets of the stage after a level that may follow a set of the stage before it.
  std::span<const u32> next(int level, u32 set) const { return stage_[place(level - 1)][set].next; }

  // The set of a stage in which the servers are those of a keep choice within the range.
  u32 find(int stage, const std::array<TensorMask, kMaxLevels>& keep) const;

 private:
  struct Set {
    std::array<u8, kMaxTensors> level{};  // [tensor]
    TensorMask kept = 0;                  // by the level outside the stage
    std::vector<u32> next;                // sets of the stage after that level
  };
  static std::size_t place(int stage) { return at(stage + 1); }
  static std::size_t slot(int tensor) { return at(tensor); }
  u32 index(int stage, const std::array<u8, kMaxTensors>& level) const;

  int levels_, tensors_;
  std::vector<std::vector<Set>> stage_;
};

inline constexpr int kMaxChannels = 16;

// [channel]: energy units (2^-32 pJ), or cycles. Channel 0 is energy.
using Channels = std::array<double, kMaxChannels>;

// What a channel counts.
struct Channel {
  enum class Kind : u8 {
    Energy,  // energy units of the levels whose instances share no accesses
    // Energy units of `level`, whose clusters share accesses: times min(1, clusters / instances in use). Or which is an
    // interconnect, and its clusters share none.
    Shared,
    Cycles,  // words over one bandwidth of `level`, summed over its instances: divide by the instances in use
  };
  Kind kind = Kind::Energy;
  int level = -1;  // -1 for Energy
  // An interconnect's: words of a flow count as they pass there, whatever fan-outs outside make of them.
  bool passes = false;
};

// A level, whatever tensors it keeps.
struct ExactLevel {
  bool hops = false;  // energy on the way out of its tile: every tensor's flow begins anew there
  // Levels that are stores of one memory share its room: the tensors that those outside this one must keep, and
  // whether there are any, or any inside.
  TensorMask kept_outside = 0;
  bool shares_outside = false, shares_inside = false;
  double least_sharing = 1;  // least of min(1, clusters / instances in use) over all mappings
  // Energy units that rounding to blocks can add to a flow of each tensor: one that fills the level, and one that it
  // serves.
  std::array<double, kMaxTensors> fill_rounding{}, serve_rounding{};
};

// What words cost on one machine.
struct FlowPrices {
  struct Level {
    // [tensor]: per word that fills the level's tile, and per word that the level serves.
    std::array<Channels, kMaxTensors> fill{}, serve{};
    std::array<Channels, kMaxTensors> peer{};  // [tensor]: per word that an instance passes to a neighbour
    Channels refund{};  // per output word, if kept or carried: its first read (and fill) is elided
  };
  std::vector<Level> level;  // [level]
  // Whatever the mapping: energy units of all MACs, and of words on their way to homes the energy and the bandwidths.
  Channels constant{};
};

// The flows of a range of keep choices and their prices.
struct FlowCosts {
  const LayerProblem* problem;
  const Compiled* compiled;
  KeepRange keep;
  ServerSets servers;                     // of the range
  Lattice lattice;                        // of the layer's sizes
  std::vector<Channel> channels;          // at most kMaxChannels; the first is energy
  std::vector<ExactLevel> level;          // [level]
  std::span<const FanoutChoices> fanout;  // [level]: the fan-out below it
  FlowPrices least{};                     // the least prices of all machines, and their largest refunds
  std::vector<FlowPrices> machine{};      // [machine]: one, or those of the problem's family
  int output = 0;                         // the output's tensor
  std::optional<Symmetry> symmetry{};     // rule symmetry; none: it is off, or there is none
  bool cycles_only = false;               // energy counts as nothing (rule cycles-first)
  bool timed = false;                     // the objective depends on cycles
  bool leaks = false;                     // energy depends on cycles
  bool ramps = false;                     // the objective depends on the ramps (docs/cost_model.md, rule 46)
  bool exact = true;                      // only rounding to blocks is left out
  u16 interconnect = 0;                   // mask of the levels that are one
  double macs = 1;                        // MACs of the layer, of one pass
  double macs_of_passes = 1;              // of all passes; other counts are of one, prices of all
  double unit_cycles = 1;                 // that one compute unit takes for them
  int peer_fanout = -1;                   // only mappings count with words from peers below this level; -1: all
  std::shared_ptr<PeerSites> sites{};     // where words from peers may matter
  TensorMask unit_peers = 0;              // tensors of which compute units may take words from each other
  Channels peer_rounding{};               // what rounding the words passed to neighbours can add

  // What a word of tensor v costs on its way from the tile of level `from` (-1: the MACs) to its server: there, and in
  // the interconnects between. `sum` is where it is added up if there are any.
  const Channels& serve(const FlowPrices& prices, int from, int server, int v, Channels& sum) const;
  // What rounding to blocks can add on that way, in energy units.
  double serve_rounding(int from, int server, int v) const;
  // Levels between these two that are interconnects, as a mask.
  u16 interconnects(int from, int server) const {
    return static_cast<u16>(interconnect & ((1u << server) - 1) & ~((1u << (from + 1)) - 1));
  }

  int levels() const { return static_cast<int>(level.size()); }
  // Whether words fill the tile of level i: the outermost has them, an interconnect has no tile.
  bool fills(int i) const { return i + 1 < levels() && !compiled->level[i].is_interconnect; }
  // Whether words that level i takes from peers may make its fills of tensor v fewer: it has senders side by side.
  bool fills_fewer(int i, int v) const {
    return i + 1 < levels() && contains(compiled->level[i + 1].peers, v) && last_fanout(i + 1, levels() - 1) >= 0;
  }
  // Whether what these change of the words that fill level i is priced exactly.
  bool prices_peers(int i, int v) const { return !fills_fewer(i, v) && !level[i].hops; }
  // The outermost fan-out between a tile of level `from` (-1: the MACs) and the level `to`; -1: there is none.
  int last_fanout(int from, int to) const {
    for (int f = to; f > from; --f)
      if (fanout[f].exists) return f;
    return -1;
  }
  // Most instances that the fan-outs below level `first` and the levels outside it can use together, if `left` (a
  // lattice index) is what remains to be placed.
  double most_instances(int first, u64 left) const;
  // The tensors with a flow out of the tile of a level that keeps `kept`: these, and those whose hops count.
  TensorMask starting(int i, TensorMask kept) const { return level[i].hops ? all_tensors() : kept; }
  // Dimensions along which no tensor of `moving` slides; no tensor at all if a fan-out follows level i, whose instances
  // share words according to its tile. Not for the outermost.
  DimensionMask standalone(int i, TensorMask moving) const {
    return standalone_dimensions(*compiled, fanout[i + 1].exists ? all_tensors() : moving);
  }
  TensorMask all_tensors() const { return static_cast<TensorMask>((1u << compiled->tensor_count) - 1); }
  // Whether level i of some machine has room for the tile (extents by dimension) of the tensors that it keeps, if
  // levels inside that share it need nothing; those outside have at least this tile.
  bool fits(int i, TensorMask kept, const Extents& tile) const;
  // Whether it has room if levels inside that share it take `inside` parts of words.
  bool has_room(int i, TensorMask kept, u64 inside, const Extents& tile) const;
  // Parts of level i's words that the tile of these tensors takes; and that a number of words takes.
  u64 used(int i, TensorMask kept, const Extents& tile) const;
  u64 room(int i, u64 words) const;
  // Whether level i of the machine and all levels outside it have room for the tile, at least for what they keep if
  // the stage before level i has the set `servers`.
  bool holds(u32 machine, int i, u32 servers, const Extents& tile) const;
  // Whether another machine of the family that is nowhere dearer has a smaller memory that holds the tile of level i,
  // or of a level outside it whose tile is the same (rule smallest-memory), whatever the levels outside keep.
  bool needless(u32 machine, int i, u32 servers, const Extents& tile) const;
  // Outermost level at which the machines of the family differ; -1: there is none.
  int last_swept() const { return problem->family ? problem->family->last_swept() : -1; }
};

// The flows of a range of keep choices. The result refers to the problem and the fan-outs, which must outlive it. With
// `cycles_only` only bandwidths have prices.
FlowCosts make_flow_costs(const LayerProblem& problem, const KeepRange& keep, const Lattice& lattice,
                          std::span<const FanoutChoices> fanouts, bool cycles_only = false);

// Which sums of the flows the exact search keeps apart: the channels of a FlowCosts, and through which of them each
// level's accesses count.

// The channels of one level.
struct LevelChannels {
  int energy = 0;                          // 0: with that of other levels
  int read = -1, write = -1, shared = -1;  // of each bandwidth; -1: no mapping exceeds it, or no channel was left
};

// Lists m.channels and returns those of each level. Sets how clusters share accesses at least, and m.exact to false if
// something has no channel. `machines`: the problem's, or those of its family. Which levels share memory must be known.
std::vector<LevelChannels> list_channels(FlowCosts& m, std::span<const Compiled* const> machines);

// The prices on `machine`, the problem's or one of its family. Of a nest that runs in several passes (compiled.h) they
// are of a word in all passes, and what the outermost level serves of tensors with a home costs what it does there.
// `channels`: of each level, as list_channels() gives them.
FlowPrices flow_prices(const FlowCosts& m, const std::vector<LevelChannels>& channels, const Compiled& machine);

}  // namespace heliolite

#pragma once
// A (workload, architecture) pair as flat tables for the hot path, for a nest that runs once or in several passes: no
// strings, no vectors, energies in units of 2^-32 pJ. And the boxes of tiles, which are made of them.
#include <array>
#include <concepts>
#include <limits>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/model/prices.h"
#include "workloads/workload.h"

namespace heliolite {

// A nest that runs several times, with some tensors already in place: one of a network's layers beneath loops around
// several (docs/fusion_trees.md). Here is what stays the same for every mapping of it; without a home and with one
// pass: any layer by itself.
struct NestPass {
  u64 passes = 1;
  u64 parts = 1;           // different parts of the output that they make: each word is not read the first time
  int level = -1;          // where tensors have their home; -1: none has one
  TensorMask at_home = 0;  // tensors whose outermost level that is
  u64 taken = 0;           // words of the level that homes, of this nest's tensors and others', take meanwhile
  // Words of tensors with a home that come from outside the level, over all passes, as far as they count for this nest;
  // of the output those that leave and those that come back as sums.
  std::array<u64, kMaxTensors> fetched{};
  u64 stored = 0, returned = 0;

  bool is_plain() const { return passes == 1 && at_home == 0 && taken == 0; }
  auto operator<=>(const NestPass&) const = default;
};

// A summand coefficient * dimension of rank `rank`.
struct CompiledTerm {
  u8 rank = 0;
  u8 dimension = 0;
  bool ends_rank = false;  // the last term of its rank; only for terms of ranks that are not plain
  u32 coefficient = 1;
};

// A tensor of the workload; dimensions of size 1 are left out of its ranks.
struct CompiledTensor {
  DimensionMask indexing = 0;  // dimensions of size > 1 that move the tensor
  bool is_output = false;
  // Two looping dimensions share a rank: neighbouring tiles overlap (halos).
  bool sliding = false;
  // A dimension occurs in several ranks: offsets of ranks are not independent.
  bool entangled = false;
  u8 rank_count = 0;
  // Ranks that are one dimension with coefficient 1, and the terms of all others, sorted by rank.
  u8 plain_count = 0;
  std::array<u8, kMaxRanks> plain{};  // dimensions
  u8 term_count = 0;
  std::array<CompiledTerm, kMaxRanks * kMaxTerms> term{};
  // All terms, plain ranks included, grouped by dimension: terms of d are [first_of[d], first_of[d + 1]).
  std::array<CompiledTerm, kMaxRanks * kMaxTerms> by_dimension{};
  std::array<u8, kMaxDimensions + 1> first_of{};
  std::array<DimensionMask, kMaxRanks> sharing{};  // [rank]: its dimensions if it has two or more, else none
  DimensionMask sharing_any = 0;                   // dimensions that share a rank
  DimensionMask alone = 0;                         // dimensions that have a rank of their own
  u64 words = 0;                                   // words of the whole tensor: its box, holes of strides included
};

// A bandwidth as a fraction: `parts` in `cycles`; 0 cycles: unlimited.
struct PartsPerCycle {
  u64 parts = 1, cycles = 0;
  bool is_limited() const { return cycles != 0; }
};

// A level of the machine and the fan-out below it. Its words are divided into parts (keep.h): what it holds and
// serves is counted in these. Where no tensor states how many bits its values have, a part is a word.
struct CompiledLevel {
  static constexpr u64 kUnbounded = std::numeric_limits<u64>::max();
  ValueParts parts;
  u64 room = kUnbounded;           // usable parts of one instance
  u64 whole = 0;                   // parts that all tensors take together
  u64 fanout_x = 1, fanout_y = 1;  // receivers of one instance: instances of the level inside
  u64 clusters = 1;                // instances / cluster_size: accesses that can happen side by side (rule 20)
  std::array<ValueUnits, kMaxTensors> units{};  // [tensor]
  // Leakage of an instance in use in one cycle, whatever it does; where all instances leak (rule 25), nothing, but at
  // the outermost level what they leak together.
  u64 leak_units = 0;
  bool generates_addresses = false;  // addresses have a price
  bool hops_cost = false, routers_cost = false;
  u64 block_words = 1;  // words that one access moves
  u64 block_parts = 1;
  int block_shift = 0;  // log2(block_parts), -1 when it is not a power of two
  // Parts per cycle of one instance; infinity: unlimited. The shared one is for reads and writes together.
  double read_bandwidth = 0, write_bandwidth = 0, shared_bandwidth = 0;
  PartsPerCycle read_rate, write_rate, shared_rate;  // the same as fractions
  bool timeloop_cycles = false;                      // cycles are counted in doubles, as Timeloop does (rule 28)
  bool limited = false;                              // any bandwidth is finite
  bool network_costs = false;                        // hop, router or ingress energy
  // The network costs by the words that enter it alone, in one direction, and these are counted exactly as doubles:
  // which receivers share them does not matter (ingress_energy of multicast.h).
  bool entering_costs_alone = false;
  bool reduces = true;           // sums partial outputs that come in (rule 26)
  bool reads_drains = false;     // words of an output that leave its tile outwards are read (rule 18)
  bool is_interconnect = false;  // keeps nothing, and counts the words of all tensors as they pass (rule 43)
  TensorMask peers = 0;          // tensors of which receivers may take words from peers (arch/architecture.h)

  // Instances of the level inside, of one instance.
  u64 fanout() const { return fanout_x * fanout_y; }
  // Parts that `values` values of tensor v take.
  u64 taken(int v, u64 values) const { return values * parts.of[v]; }
  // Accesses that `count` parts take.
  u64 blocks(u64 count) const {
    if (block_shift >= 0) return (count + block_parts - 1) >> block_shift;
    return (count + block_parts - 1) / block_parts;
  }
  // Whether all tensors fit as a whole.
  bool holds_all() const { return room >= whole; }
  // Usable words of one instance; 0: unbounded.
  u64 capacity_words() const { return room == kUnbounded ? 0 : room / parts.of_word; }
};

struct Compiled {
  int dimension_count = 0, tensor_count = 0, level_count = 0;
  std::array<u32, kMaxDimensions> size{};
  std::array<CompiledTensor, kMaxTensors> tensor{};
  std::array<CompiledLevel, kMaxLevels> level{};  // innermost first
  u64 op_units = 0;                               // energy units of what a compute unit does at one point: of one MAC
  u64 macs = 1;                                   // MACs of the workload: points of its nest
  u64 point_cycles = 1;                           // cycles of a compute unit for one point
  // [level] where all instances leak, used or not: what its own leak in one cycle; their sum is the outermost level's.
  std::array<u64, kMaxLevels> always_leaks{};
  bool all_leak = false;
  bool ramps = false;    // cycles count the way in and out (rule 46)
  TensorMask peers = 0;  // tensors of which some level says so
  NestPass pass{};
  bool plain = true;                             // pass.is_plain()
  std::array<TensorMask, kMaxLevels> passing{};  // [level outside a home]: tensors that the machine makes keep it

  // `pass`: of a workload that is one pass of a link. Words that its homes take are no room of their level any more.
  Compiled(const Workload& workload, const Architecture& architecture, const NestPass& pass = {});

  TensorMask all_tensors() const { return static_cast<TensorMask>((1u << tensor_count) - 1); }
  // Product of the fan-outs below the levels first .. last.
  u64 fanouts(int first, int last) const {
    u64 out = 1;
    for (int i = first; i <= last; ++i) out *= level[i].fanout();
    return out;
  }
  // Cycles that `steps` steps of the compute units take, which are all at one point each.
  u64 cycles_of(u64 steps) const { return steps * point_cycles; }
  // What is shown as the leakage of level i in one cycle, with `used` instances in use.
  u128 leakage(int i, u64 used) const {
    return all_leak ? u128{always_leaks[i]} : static_cast<u128>(level[i].leak_units) * used;
  }
  // The level that serves what level i of a mapping serves of tensor v: of the outermost the home, if it has one.
  int serving(int i, int v) const { return i + 1 == level_count && contains(pass.at_home, v) ? pass.level : i; }
  // The tensors whose words level i counts: those that it keeps, and at an interconnect all.
  TensorMask counted(int i, TensorMask kept) const { return level[i].is_interconnect ? all_tensors() : kept; }
};

// Cycles that one compute unit would take for all points of all passes.
inline double cycles_of_one_unit(const Compiled& c) {
  return static_cast<double>(c.macs) * static_cast<double>(c.point_cycles) * static_cast<double>(c.pass.passes);
}

// The share of what all compute units could do in these cycles that a workload's points are, 0 to 1 (rule 29).
inline double utilization(const Compiled& c, const Architecture& architecture, u64 cycles) {
  return static_cast<double>(c.cycles_of(c.macs)) / static_cast<double>(architecture.compute.instances) /
         static_cast<double>(cycles);
}

// Dimensions of size > 1 along which none of the tensors slides: each of them that one indexes has a rank which is this
// dimension alone, with coefficient 1, and no other rank with it. A tile n times as long along it holds n times the
// words of such a tensor.
DimensionMask standalone_dimensions(const Compiled& compiled, TensorMask tensors = static_cast<TensorMask>(~0u));
// Whether that is so of every dimension that indexes the tensor: a box n times as long along one of them has n times
// the words, and all different.
bool has_plain_ranks(const CompiledTensor& t);

// [dimension]: how much of it a tile covers; 1 beyond the workload's dimensions.
using Extents = std::array<u32, kMaxDimensions>;
// Words along each rank of a tensor: of a box, or by how much a tile moves.
using RankMove = std::array<i64, kMaxRanks>;

// The box of a tile (docs/cost_model.md, rule 4): along each rank 1 + the sum of coefficient x (extent - 1) over its
// dimensions, holes of strides included.

// Words along each rank of the box; extent(d): how much of dimension d the tile covers.
template <class Extent>
RankMove box_along_ranks(const CompiledTensor& t, Extent extent) {
  RankMove out;
  out.fill(1);
  for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t.by_dimension[k];
    out[term.rank] += static_cast<i64>(term.coefficient) * (static_cast<i64>(extent(term.dimension)) - 1);
  }
  return out;
}

// Words of the box, as the hot path counts them; `at_rank(rank, extent)` sees the extent of each rank that is not
// plain.
template <class Extent, class AtRank>
u64 box_words(const CompiledTensor& t, Extent&& extent, AtRank&& at_rank) {
  u64 words = 1;
  for (int k = 0; k < t.plain_count; ++k) words *= extent(t.plain[k]);
  u64 reach = 1;
  for (int k = 0; k < t.term_count; ++k) {
    const CompiledTerm& term = t.term[k];
    reach += static_cast<u64>(term.coefficient) * (extent(term.dimension) - 1);
    if (!term.ends_rank) continue;
    at_rank(term.rank, reach);
    words *= reach;
    reach = 1;
  }
  return words;
}

// Words of the box alone, and of the tile of these extents.
template <std::invocable<u8> Extent>
u64 box_words(const CompiledTensor& t, Extent&& extent) {
  return box_words(t, extent, [](u8, u64) {});
}
inline u64 box_words(const CompiledTensor& t, const Extents& tile) {
  return box_words(t, [&](u8 d) { return tile[d]; });
}

// Words of level i, begun ones included, that the tile of these tensors takes (rule 44).
inline u64 level_words(const Compiled& c, int i, TensorMask tensors, const Extents& tile) {
  const CompiledLevel& level = c.level[i];
  u64 parts = 0;
  for (const int v : bits(tensors)) parts += level.taken(v, box_words(c.tensor[v], tile));
  return ceil_div(parts, u64{level.parts.of_word});
}

}  // namespace heliolite

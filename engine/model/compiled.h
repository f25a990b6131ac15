#pragma once
// A (workload, architecture) pair as flat tables for the hot path: no strings, no vectors, energies in units of
// 2^-32 pJ.
#include <array>
#include <limits>

#include "arch/architecture.h"
#include "engine/base/energy.h"
#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// A summand coefficient * dimension of rank `rank`.
struct CompiledTerm {
  u8 rank = 0;
  u8 dimension = 0;
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
  std::array<DimensionMask, kMaxRanks> sharing{};  // of each rank: its dimensions if it has two or more, else none
  DimensionMask sharing_any = 0;                   // dimensions that share a rank
  DimensionMask alone = 0;                         // dimensions that have a rank of their own
  u64 words = 0;                                   // of the whole tensor: its box, holes of strides included
};

// A level of the machine and the fan-out below it.
struct CompiledLevel {
  static constexpr u64 kUnbounded = std::numeric_limits<u64>::max();
  u64 capacity_words = kUnbounded;  // usable words of one instance
  u64 fanout_x = 1, fanout_y = 1;   // of one instance, to the level inside
  u64 clusters = 1;                 // instances / cluster_size: accesses that can happen side by side (rule 20)
  // Energy units of one access of a block, of one address, and of leakage of one instance in one cycle.
  u64 read_units = 0, fill_units = 0, update_units = 0, address_units = 0, leak_units = 0;
  // Energy units of one word over one hop, through one router, and into the network.
  u64 hop_units = 0, router_units = 0, ingress_units = 0;
  u64 block_words = 1;  // words that one access moves
  int block_shift = 0;  // log2(block_words), -1 when it is not a power of two
  // Words per cycle of one instance; infinity: unlimited. The shared one is for reads and writes together.
  double read_bandwidth = 0, write_bandwidth = 0, shared_bandwidth = 0;
  bool limited = false;        // any bandwidth is finite
  bool network_costs = false;  // hop, router or ingress energy
  bool is_dram = false;
  bool is_interconnect = false;  // keeps nothing, and counts the words of all tensors as they pass (rule 43)
  TensorMask linked = 0;         // tensors that receivers may take from neighbours (docs/link_transfers.md)

  // Accesses that `words` words take.
  u64 blocks(u64 words) const {
    if (block_shift >= 0) return (words + block_words - 1) >> block_shift;
    return (words + block_words - 1) / block_words;
  }
};

struct Compiled {
  int dimension_count = 0, tensor_count = 0, level_count = 0;
  std::array<u32, kMaxDimensions> size{};
  std::array<CompiledTensor, kMaxTensors> tensor{};
  std::array<CompiledLevel, kMaxLevels> level{};  // innermost first
  u64 op_units = 0;                               // energy units of one MAC
  u64 macs = 1;                                   // MACs of the workload
  u64 all_words = 0;                              // of all tensors together
  TensorMask linked = 0;                          // tensors of which some level says so

  Compiled(const Workload& workload, const Architecture& architecture);

  TensorMask all_tensors() const { return static_cast<TensorMask>((1u << tensor_count) - 1); }
  // The tensors whose words level i counts: those that it keeps, and at an interconnect all.
  TensorMask counted(int i, TensorMask kept) const { return level[i].is_interconnect ? all_tensors() : kept; }
};

// Dimensions of size > 1 along which none of the tensors slides: each of them that one indexes has a rank which is this
// dimension alone, with coefficient 1, and no other rank with it. A tile n times as long along it holds n times the
// words of such a tensor.
DimensionMask standalone_dimensions(const Compiled& compiled, TensorMask tensors = static_cast<TensorMask>(~0u));

// [dimension]: how much of it a tile covers; 1 beyond the workload's dimensions.
using Extents = std::array<u32, kMaxDimensions>;

}  // namespace heliolite

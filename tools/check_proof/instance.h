#pragma once
// The instance: what is legal and what it costs, as integers. This and docs/cost_model.md are all that a proof trusts.
#include <array>
#include <string>
#include <vector>

#include "check_proof/text.h"

namespace check_proof {

inline constexpr int kDimensions = 12, kTensors = 8, kLevels = 10, kRanks = 8, kTerms = 4;
using Mask = u32;  // of dimensions, tensors or levels
constexpr bool contains(Mask mask, int k) { return (mask >> k & 1) != 0; }
constexpr Mask bit(int k) { return Mask{1} << k; }

struct Term {
  u64 coefficient = 1;
  int dimension = 0;
};

struct Tensor {
  std::string name;
  bool is_output = false;
  std::vector<std::vector<Term>> ranks;
  Mask indexing = 0;  // dimensions in its ranks
  Mask plain = 0;     // those alone in their rank, with coefficient 1
  Mask sliding = 0;   // those that share their rank: its tiles overlap
  std::vector<Mask> of_rank;
  std::array<i8, kDimensions> rank_of{};
  std::array<u64, kDimensions> coefficient{};
};

// Of one tensor at a level: the parts of the level's words that a word takes, and prices in units of the instance.
struct Prices {
  u64 parts = 1, read = 0, fill = 0, update = 0, address = 0, ingress = 0, hop = 0;
};

// What an instance of a level moves at most: `parts` in `cycles`.
struct Rate {
  char kind = 'r';  // r: reads, w: fills and updates, s: both together
  u64 parts = 1, cycles = 1;
};

struct Limit {
  u64 least = 1, most = 1;
  bool allows(u64 factor) const { return least <= factor && factor <= most; }
};

struct Level {
  std::string name;
  bool is_bounded = false;
  u64 room = 0, block = 1, leak = 0;
  u64 clusters = 0;   // of its instances so many accesses happen at a time
  u64 instances = 1;  // of all fan-outs outside
  std::array<Prices, kTensors> of{};
  std::vector<Rate> rates;
  Mask keep = 0, open = 0;
  std::array<Limit, kDimensions> loops{}, unroll{};
  std::vector<int> order;  // of temporal loops, innermost first
  u64 fanout_x = 1, fanout_y = 1;
  bool one_axis = false;
  std::vector<int> x, y;  // what may be unrolled along an axis, in the order of its loops, innermost first
  bool has_fanout = false, has_ingress = false, has_hops = false;
};

struct Instance {
  int unit_bits = 0;
  u64 mac = 0, macs = 1;
  std::vector<std::string> dimensions;
  std::vector<u64> size;
  std::vector<Tensor> tensors;
  std::vector<Level> levels;  // innermost first
  int output = 0;
  u64 output_words = 1;
  u64 scale = 1;  // bounds count energy in 1/scale of a unit: the least common multiple of the blocks

  int dimension_count() const { return static_cast<int>(size.size()); }
  int tensor_count() const { return static_cast<int>(tensors.size()); }
  int level_count() const { return static_cast<int>(levels.size()); }
  // -1: there is none of this name.
  int dimension(std::string_view name) const;
  int tensor(std::string_view name) const;
  int level(std::string_view name) const;
};

// The lines up to that of the proof, or the end of the text. Wrong where one is unknown or out of place; refused where
// numbers could leave 64 bits (words) or 120 (energy), or the instance is of a kind that there are no proofs of.
Instance read_instance(Lines& lines);

}  // namespace check_proof

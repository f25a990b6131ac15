#pragma once
// The question of a proof as data: what is legal and what it costs, in integers, without the rules of files and
// presets that led there (docs/proofs.md). What stands here is all that a proof speaks of, and all that its checker
// reads.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/search/core/options.h"
#include "engine/space/mapspace.h"
#include "workloads/workload.h"

namespace heliolite::proof {

// coefficient * dimension, a summand of a rank.
struct InstanceTerm {
  u64 coefficient = 1;
  int dimension = 0;
};

struct InstanceTensor {
  std::string name;
  bool is_output = false;
  std::vector<std::vector<InstanceTerm>> ranks;  // without dimensions of size 1, and without ranks of these alone
};

// What a word of one tensor costs at a level, in units of 2^-unit_bits pJ, and the parts of the level's words that it
// takes. Accesses are of a block where blocks have several words, otherwise of a word of the tensor.
struct InstancePrices {
  u64 parts = 1;
  u64 read = 0, fill = 0, update = 0, address = 0;
  u64 ingress = 0, hop = 0;

  bool operator==(const InstancePrices&) const = default;
};

// What an instance of a level moves at most: `numerator` parts in `denominator` cycles.
struct InstanceRate {
  char kind = 'r';  // r: reads, w: fills and updates, s: both together
  u64 numerator = 1, denominator = 1;
};

struct InstanceLevel {
  std::string name;
  std::optional<u64> room;                       // parts; none: unbounded
  u64 block = 1;                                 // parts of an access; 1: every word of a tensor is one
  std::array<InstancePrices, kMaxTensors> of{};  // [tensor]
  u64 leak = 0;                                  // of an instance in a cycle
  u64 clusters = 1;                              // accesses that can happen side by side
  std::vector<InstanceRate> rates;
  TensorMask keep = 0, open = 0;
  std::vector<FactorLimit> loops;  // [dimension]
  std::vector<int> order;          // loops that come innermost, in this order
  u64 fanout_x = 1, fanout_y = 1;
  bool one_axis = false;
  std::vector<int> x, y;            // dimensions that may be unrolled along an axis, the innermost first
  std::vector<FactorLimit> unroll;  // [dimension]: both axes together
  bool uneven = false;              // its tensors have tiles of their own, at places among its loops
  bool shares = false;              // room and rates with the level inside: both stand for an uneven one

  bool has_fanout() const { return fanout_x * fanout_y > 1; }
};

struct Instance {
  int unit_bits = 0;
  u64 mac = 0;
  std::vector<std::string> dimensions;  // of size above 1
  std::vector<u64> sizes;
  std::vector<int> dimension_of;  // [dimension]: its index in the workload
  std::vector<InstanceTensor> tensors;
  std::vector<InstanceLevel> levels;  // innermost first
  bool sized = false;                 // some tensor's words are not words of the levels
  u64 macs = 1;
  u64 point_cycles = 1;  // of a compute unit, for a MAC or what it does in place of one

  // Cycles at least, for all points on this number of compute units.
  u64 cycles_on(u64 units) const { return ceil_div(macs, units) * point_cycles; }
  int dimension_count() const { return static_cast<int>(sizes.size()); }
  int tensor_count() const { return static_cast<int>(tensors.size()); }
  int level_count() const { return static_cast<int>(levels.size()); }
  int output() const;
};

// What a complete mapping costs, in the instance's unit.
struct ExactCost {
  u128 energy = 0;
  u64 cycles = 0;
  bool operator==(const ExactCost&) const = default;
};

// The mapspace that is asked for.
struct InstanceOptions {
  bool free = false, open = false;  // those of MapspaceOptions
  Tiles tiles = Tiles::Even;

  static InstanceOptions of(const SearchOptions& search) { return {search.free, search.open, search.tiles}; }
};

// The instance of a layer on a machine. An error is the one reason why there are no proofs of it: something that the
// rules of proofs do not know yet, by its name. Other errors are those of the machine's constraints.
Result<Instance> instance_of(const Workload& workload, const Architecture& architecture, InstanceOptions options = {});

// An instance, and the compute unit whose chain of levels it has: a number of Architecture::chain().
struct UnitInstance {
  std::size_t unit = 0;
  Instance instance;
};

// Those of a layer on each compute unit of a machine that can run it and whose constraints it can obey, with prices in
// the same unit: what may be done on any of them. Errors: those of one of them, or why no unit runs the layer.
Result<std::vector<UnitInstance>> instances_of(const Workload& workload, const Architecture& machine,
                                               InstanceOptions options = {});

// Its lines, as they stand at the head of a proof.
std::string text_of(const Instance& instance);

}  // namespace heliolite::proof

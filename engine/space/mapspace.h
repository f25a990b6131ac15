#pragma once
// The mapspace of a workload on an architecture: the machine's constraints resolved from names to masks and
// numbers. Everything that enumerates, samples or checks mappings asks here what is legal. Capacities are not
// part of it: they are the cost model's (engine/model/cost_model.h) and the footprint's (footprint.h).
#include <array>
#include <span>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// The factors a dimension may have in one place; fixed when min == max.
struct FactorLimit {
  u64 min = 1;
  u64 max = 1;

  bool allows(u64 factor) const { return factor >= min && factor <= max; }
  bool fixed() const { return min == max; }
  bool operator==(const FactorLimit&) const = default;
};

using FactorLimits = std::array<FactorLimit, kMaxDimensions>;  // by dimension

// Loops that come innermost, in this order (innermost first). A loop of one iteration is no loop: a mapping
// without it obeys.
struct OrderPrefix {
  std::array<u8, kMaxDimensions> dimension{};
  u8 count = 0;

  std::span<const u8> dimensions() const { return {dimension.data(), count}; }
  bool operator==(const OrderPrefix&) const = default;
};

// What the temporal loops of a level may be.
struct TemporalSpace {
  FactorLimits factor{};
  DimensionMask allowed = 0;  // dimensions that may have a loop here: factor.max > 1
  OrderPrefix order;
  bool operator==(const TemporalSpace&) const = default;
};

// What the spatial loops of the fan-out below a level may be.
struct SpatialSpace {
  u64 fanout_x = 1;
  u64 fanout_y = 1;
  FactorLimits factor{};        // of the product over X and Y
  DimensionMask allowed_x = 0;  // dimensions that may be unrolled along X; empty when fanout_x = 1
  DimensionMask allowed_y = 0;
  OrderPrefix order;

  u64 fanout() const { return fanout_x * fanout_y; }
  bool exists() const { return fanout_x > 1 || fanout_y > 1; }
  bool operator==(const SpatialSpace&) const = default;
};

// What a level may hold and run.
struct LevelSpace {
  TemporalSpace temporal;
  SpatialSpace spatial;
  // Every tensor is in exactly one of these masks.
  TensorMask keep = 0;    // must be kept
  TensorMask bypass = 0;  // must not be kept
  TensorMask open = 0;    // the mapper decides
  bool operator==(const LevelSpace&) const = default;
};

// The keep choices of a set of mappings, by level.
struct KeepRange {
  std::array<TensorMask, kMaxLevels> must{};  // [level]: tensors that every mapping of the set keeps there
  std::array<TensorMask, kMaxLevels> may{};   // [level]: tensors that some mapping of the set keeps there

  bool operator==(const KeepRange&) const = default;
};

// All that the machine's constraints allow for the workload.
struct Mapspace {
  std::vector<LevelSpace> levels;  // innermost first; the last keeps everything
  std::array<u64, kMaxDimensions> size{};
  u8 dimension_count = 0;
  u8 tensor_count = 0;
  DimensionMask non_unit = 0;           // dimensions of size above 1
  bool one_axis_per_dimension = false;  // a dimension is unrolled along X or along Y of a fan-out, not both
  u64 least_units = 1;                  // compute units that a mapping uses at least (Mapping::units)

  // Names for messages.
  std::string workload_name;
  std::vector<std::string> dimension_names, tensor_names, level_names;

  int level_count() const { return static_cast<int>(levels.size()); }
  // Whether the mapping uses as many compute units as it must.
  bool uses_enough_units(const Mapping& mapping) const { return least_units <= 1 || mapping.units() >= least_units; }
};

struct MapspaceOptions {
  bool free = false;  // lift the dataflow constraints; keep rules, fan-outs and levels without loops stay
  // Lift the keep rules: every level inside the outermost may hold any tensors. Levels that hold nothing and buffers
  // side by side stay as they are.
  bool open = false;
};

// The mapspace of the pair. Constraints of one dimension bound each other: with K fixed to its whole size at one level,
// K has no loop elsewhere; the limits returned are tightened that way, for perfect and imperfect factors alike.
// Errors, all at once: a constraint that names a dimension, class or tensor the workload does not have (with the known
// names and a suggestion), that asks for more than the dimension's size or the fan-out, or that contradicts another.
Result<Mapspace> resolve(const Workload& workload, const Architecture& architecture, MapspaceOptions options = {});

// The dimensions of size above 1 in the order in which mappings list loops of the same kind, innermost first: those of
// the prefix, then the others as declared.
std::vector<u8> canonical_order(const Mapspace& mapspace, const OrderPrefix& prefix);

// Why a mapping is outside the mapspace: factors, axes, fan-outs, orders, kept tensors. Empty when it is inside.
// The mapping must be well formed for the workload (factors that multiply to the sizes).
Diagnostics violations(const Mapspace& mapspace, const Mapping& mapping);

// Dimensions that the limits leave no perfect factorisation, e.g. a fixed factor of 3 for a size of 64.
// A mapspace with such a dimension has imperfect mappings only.
Diagnostics perfect_factor_conflicts(const Mapspace& mapspace);

// Dimensions of size above 1.
DimensionMask non_unit_dimensions(const Workload& workload);

}  // namespace heliolite

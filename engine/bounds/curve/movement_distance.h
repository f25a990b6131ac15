#pragma once
// The distance of a mapping from what no mapping can beat: the words it moves across each boundary between levels,
// against the least that any mapping moves with the room there is inside. docs/rules/orojenesis.md has the proofs.
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/orojenesis_levels.h"
#include "engine/bounds/curve/orojenesis_nested.h"
#include "engine/model/breakdown.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// What every mapping moves across a boundary.
struct LevelBound {
  Boundary boundary;
  u64 least = 0;  // units, however much of the capacity inside a mapping uses
};

// What one mapping moves across a boundary.
struct LevelDistance {
  LevelBound bound;
  Crossing mapping;
  u64 least_for_held = 0;  // least units of mappings that hold no more inside than this one

  // The words moved over the least; at least 1.
  double ratio() const { return static_cast<double>(mapping.accesses) / static_cast<double>(bound.least); }
};

// The bound of each of boundaries(), in its order. The curve is in `unit`, which is boundary_unit() or words.
std::vector<LevelBound> level_bounds(const NestedCurve& curve, const Workload& workload,
                                     const Architecture& architecture, const WordUnit& unit = {});

// The distances of a perfect mapping that is legal on the machine, from its breakdown. `curve`: of the workload, in
// `unit`, with or without imperfect tiles. Every ratio is at least 1; 1 means that no mapping moves less.
std::vector<LevelDistance> level_distances(const NestedCurve& curve, const Workload& workload,
                                           const Architecture& architecture, const Breakdown& breakdown,
                                           const WordUnit& unit = {});

// Distances of many mappings in their boundary_unit(); equal workloads share one curve. Any number of threads may ask
// at the same time.
class MovementBound {
 public:
  // Errors: the curve would take more than some tenths of a second; the mapping is imperfect: the curve is of tiles
  // that divide the sizes (and Timeloop's counts are averages, which may be below what is really moved).
  Result<std::vector<LevelDistance>> distances(const Workload& workload, const Architecture& architecture,
                                               const Mapping& mapping);
  // The same where the result of CostModel::explain is at hand.
  Result<std::vector<LevelDistance>> distances(const Workload& workload, const Architecture& architecture,
                                               const Mapping& mapping, const Breakdown& breakdown);

 private:
  struct Entry {
    std::once_flag once;
    std::optional<Result<NestedCurve>> curve;
  };
  const Result<NestedCurve>& curve(const Workload& workload, const WordUnit& unit);

  std::mutex mutex_;
  // [fingerprint of the workload, bits of tensors that state no size]
  std::map<std::pair<u64, std::optional<u64>>, Entry> curves_;
};

}  // namespace heliolite

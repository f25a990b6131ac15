#pragma once
// How far a mapping is from what no mapping can beat: the words it moves across each boundary between levels, against
// the least that any mapping moves with the room there is inside. docs/rules/orojenesis.md has the proofs.
#include <map>
#include <mutex>
#include <optional>
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

struct LevelBound {
  Boundary boundary;
  u64 least = 0;  // words that every mapping moves across it, whatever it holds of the capacity
};

struct LevelDistance {
  LevelBound bound;
  Crossing mapping;
  u64 least_for_held = 0;  // with the words that this mapping holds inside

  double ratio() const { return static_cast<double>(mapping.accesses) / static_cast<double>(bound.least); }
};

// One for each of boundaries(), in its order. Words are units of the curve's options.
std::vector<LevelBound> level_bounds(const NestedCurve& curve, const Workload& workload,
                                     const Architecture& architecture);

// Of a perfect mapping's breakdown, legal on the machine. With a curve of the workload in words, with or without
// imperfect tiles, every ratio is at least 1: 1 means that nothing moves less.
std::vector<LevelDistance> level_distances(const NestedCurve& curve, const Workload& workload,
                                           const Architecture& architecture, const Breakdown& breakdown);

// Distances of many mappings; equal workloads share one curve. Any number of threads may ask at the same time.
class MovementBound {
 public:
  // Errors: no exact curve within some tenths of a second; an imperfect mapping, whose counts are averages that may be
  // below what is really moved.
  Result<std::vector<LevelDistance>> distances(const Workload& workload, const Architecture& architecture,
                                               const Mapping& mapping);
  // With what CostModel::explain says of the mapping, where that is at hand.
  Result<std::vector<LevelDistance>> distances(const Workload& workload, const Architecture& architecture,
                                               const Mapping& mapping, const Breakdown& breakdown);

 private:
  struct Entry {
    std::once_flag once;
    std::optional<Result<NestedCurve>> curve;
  };
  const Result<NestedCurve>& curve(const Workload& workload);

  std::mutex mutex_;
  std::map<u64, Entry> curves_;  // by the workload's fingerprint
};

}  // namespace heliolite

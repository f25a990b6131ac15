#pragma once
// The distance of a mapping from what no mapping can beat: the words it moves across each boundary between levels,
// against the least that any mapping moves with the room there is inside. docs/rules/orojenesis.md has the proofs.
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "workloads/word_bits.h"
#include "workloads/workload.h"

namespace heliolite {

// A machine's levels against the curve that no mapping can beat: what is stored inside each boundary, and what crosses
// it. Proof that the pairs lie on or above nested_curve(): docs/rules/orojenesis.md.

// The boundary outside a level: everything at it and further in lies inside.
struct Boundary {
  std::string level;                  // its name
  std::optional<u64> capacity_words;  // units that may lie inside; absent: some level inside is unbounded
  WordUnit unit{};                    // what it counts
};

// The unit of a machine's boundaries: words if no tensor states a size. Where some do, tensors that state none have
// words of the outermost level.
WordUnit boundary_unit(const Workload& workload, const Architecture& architecture);

// The boundaries of all levels but the outermost, innermost first. A capacity counts all instances at and inside the
// level, and, if compute units work side by side, one operand for each unit of each tensor that a mapping may leave
// without storage there. In `unit`, which is boundary_unit() or one of several workloads.
std::vector<Boundary> boundaries(const Architecture& architecture, const Workload& workload, const WordUnit& unit = {});

// What a mapping holds inside each of these boundaries and moves across it, in units, all instances together.
struct Crossing {
  // Words of the tiles of the outermost level inside that keeps the tensor; operands of the compute units if none does.
  u64 words = 0;
  u64 accesses = 0;  // reads and updates of the next level outside that keeps the tensor
};

// The crossings of a perfect mapping, in the order of boundaries(); the counts of imperfect ones are averages.
// `sizes`: units in a word of each tensor.
std::vector<Crossing> crossings(const Breakdown& breakdown,
                                const WordUnit::Sizes& sizes = OrojenesisOptions{}.word_size);

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
  // The distances where the result of CostModel::explain is at hand.
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
  std::map<std::pair<u64, std::optional<WordLength>>, Entry> curves_;
};

}  // namespace heliolite

#pragma once
// A machine's levels against the curve that no mapping can beat: what is stored inside each boundary, and what crosses
// it. Proof that the pairs lie on or above nested_curve(): docs/rules/orojenesis.md.
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/orojenesis_nested.h"
#include "engine/model/breakdown.h"
#include "workloads/word_unit.h"
#include "workloads/workload.h"

namespace heliolite {

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
  // Of tiles of the outermost level inside that keeps the tensor; operands of the compute units if none does.
  u64 words = 0;
  u64 accesses = 0;  // reads and updates of the next level outside that keeps the tensor
};

// The crossings of a perfect mapping, in the order of boundaries(); the counts of imperfect ones are averages.
// `sizes`: units in a word of each tensor.
std::vector<Crossing> crossings(const Breakdown& breakdown,
                                const WordUnit::Sizes& sizes = OrojenesisOptions{}.word_size);

}  // namespace heliolite

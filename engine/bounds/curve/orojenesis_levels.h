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
#include "workloads/workload.h"

namespace heliolite {

// The boundary outside a level: everything at it and further in lies inside.
struct Boundary {
  std::string level;                  // its name
  std::optional<u64> capacity_words;  // words that may lie inside; absent: some level inside is unbounded
};

// The boundaries of all levels but the outermost, innermost first. A capacity counts all instances at and inside the
// level, and, if compute units work side by side, one operand for each unit of each tensor that a mapping may leave
// without storage there.
std::vector<Boundary> boundaries(const Architecture& architecture, const Workload& workload);

// What a mapping holds inside each of these boundaries and moves across it, all instances together.
struct Crossing {
  u64 words = 0;     // tiles of the outermost level inside that keeps the tensor; operands of the units if none does
  u64 accesses = 0;  // reads and updates of the next level outside that keeps the tensor
};

// The crossings of a perfect mapping, in the order of boundaries(); the counts of imperfect ones are averages.
std::vector<Crossing> crossings(const Breakdown& breakdown);

}  // namespace heliolite

#pragma once
// How much of a level's word a word of each tensor takes (docs/cost_model.md, rule 44): the one place where the sizes
// that a workload states meet those of a machine.
#include <array>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// [tensor]: bits of its words; 0: they are words of the level that holds them.
using ValueBits = std::array<u32, kMaxTensors>;

ValueBits value_bits(const Workload& workload);

// A level's words divided into parts, as few as possible, so that every tensor's words take a whole number of them.
struct ValueParts {
  u32 of_word = 1;                                          // of one word of the level
  std::array<u32, kMaxTensors> of{1, 1, 1, 1, 1, 1, 1, 1};  // [tensor]: of one of its words
  bool sized = false;                                       // the words of some tensor are not words of the level

  bool operator==(const ValueParts&) const = default;
};

ValueParts value_parts(const ValueBits& bits, const StorageLevel& level);

}  // namespace heliolite

#pragma once
// A nest that runs several times, with some tensors already in place: one of a network's layers beneath loops around
// several (docs/fusion_trees.md).
#include <array>

#include "engine/base/integers.h"
#include "engine/base/types.h"

namespace heliolite {

// What stays the same for every mapping of the nest. Without a home and with one pass: any layer by itself.
struct NestPass {
  u64 passes = 1;
  u64 parts = 1;           // different parts of the output that they make: each word is not read the first time
  int level = -1;          // where tensors have their home; -1: none has one
  TensorMask at_home = 0;  // tensors whose outermost level that is
  u64 taken = 0;           // words of the level that homes, of this nest's tensors and others', take meanwhile
  // Words of tensors with a home that come from outside the level, over all passes, as far as they count for this nest;
  // of the output those that leave and those that come back as sums.
  std::array<u64, kMaxTensors> fetched{};
  u64 stored = 0, returned = 0;

  bool is_plain() const { return passes == 1 && at_home == 0 && taken == 0; }
  auto operator<=>(const NestPass&) const = default;
};

}  // namespace heliolite

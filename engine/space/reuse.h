#pragma once
// Reuse inference: over loops of which dimensions a tensor's tile stays, wholly or partly, where it is (Sunstone:
// Olyaiy et al., ISPASS 2023, section on reuse; Ng, UBC 2022, chapter 4).
#include <array>

#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// A loop over a dimension of `full` touches the same words of the tensor in every iteration, over one of
// `partial` the next tile overlaps the last (a sliding window), over one of `none` it is disjoint.
struct TensorReuse {
  DimensionMask full = 0;
  DimensionMask partial = 0;
  DimensionMask none = 0;

  auto operator<=>(const TensorReuse&) const = default;
};

// The reuse of all tensors.
struct ReuseTable {
  std::array<TensorReuse, kMaxTensors> tensor{};  // [tensor]
  u8 tensor_count = 0;
  u8 dimension_count = 0;
  DimensionMask dimensions = 0;  // those in the masks; unit dimensions may have been left out
};

// Dimensions of size 1 have no loop. Skipping them also makes their partner in a sliding window a plain
// dimension: with R = 1 the rank p + r is p, and p gives no overlap.
enum class UnitDimensions : u8 { Keep, Skip };

// The reuse of each tensor of the workload.
ReuseTable infer_reuse(const Workload& workload, UnitDimensions unit = UnitDimensions::Keep);

// Dimensions of size above 1.
DimensionMask non_unit_dimensions(const Workload& workload);

}  // namespace heliolite

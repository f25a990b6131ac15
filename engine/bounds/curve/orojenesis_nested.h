#pragma once
// The curve that no mapping on any machine can beat: the least accesses across a boundary by the words of storage
// inside it, on any number of levels, with or without fan-outs, each level keeping what it likes. One buffer shared by
// all tensors (orojenesis.h) can be beaten by levels that hold different tensors for different tiles; this cannot, and
// is only a little below. Proof: docs/rules/orojenesis.md.
#include <array>

#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/curve/orojenesis_curve.h"
#include "engine/model/compiled.h"
#include "workloads/workload.h"

namespace heliolite {

// Tensors by the size of their tiles: each tile lies within the next one. A tensor that is not listed is not stored.
struct Nesting {
  u8 count = 0;                             // tensors listed
  std::array<u8, kMaxTensors> tensor{};     // smallest tile first
  std::array<Extents, kMaxTensors> tile{};  // [k]: the tile of tensor[k]
};

using NestedCurve = Staircase<Nesting>;

// The curve of the workload; its first point needs no storage. Of Einsums of more than five tensors the five largest
// nest, the words of the others count once. With options.imperfect it holds for mappings whose last tiles are smaller
// too; words are then those really moved, which the averages of the cost model over partly idle fan-outs may miss.
// Errors as one_buffer_curve().
Result<NestedCurve> nested_curve(const Workload& workload, const OrojenesisOptions& options = {});

}  // namespace heliolite

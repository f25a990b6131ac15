#pragma once
// Words of a tensor that are the same along a dimension, as Expand makes them of one head of keys for several of
// queries (repeat_kv: Unsqueeze, Expand, Reshape). A product whose one operand is repeated along an index of its stack
// reads that operand once for all of the index: there it belongs to the other one.
#include <memory>
#include <optional>
#include <vector>

#include "engine/formats/onnx/operators.h"

namespace heliolite::onnx {

// What `op` repeats, or leaves repeated, in an output of shape `out`; null: nothing that is known.
FactorListsPtr repeats_of(const OperatorRow& op, Call& call, const Shape& out);

// An index of a stack, of one size in both operands, shared out: what both have, and what only one of them has because
// the other is repeated along it.
struct SharedIndex {
  i64 both = 1, first = 1, second = 1;
};

// Dimension d of `first` and dimension e of `second`, which have the same size.
SharedIndex shared_index(const TensorFacts& first, std::size_t d, const TensorFacts& second, std::size_t e);

// How often each head of keys and of values is repeated, one after the other, in the dimensions that hold the heads
// (times words of a head, if the array is flat): the number by which both have fewer heads. 1: they are not repeated
// alike.
i64 repeated_heads(const TensorFacts& keys, std::size_t d, const TensorFacts& values, std::size_t e, i64 heads);

}  // namespace heliolite::onnx

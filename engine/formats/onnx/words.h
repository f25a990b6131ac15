#pragma once
// What is followed of a tensor's words from node to node: how many bits each has, in which order they stand, and which
// of them are the same.
#include <optional>
#include <vector>

#include "engine/formats/onnx/call.h"
#include "engine/formats/onnx/layers.h"
#include "engine/formats/onnx/operators.h"
#include "workloads/edge_ranks.h"

namespace heliolite::onnx {

// Types of tensors' elements, and how many bits of each lie in memory.

// Bits of an element of this TensorProto::DataType; 0: unknown, or of no fixed size.
u64 element_bits(i64 type);

// What a node makes of its inputs' types, in `outputs`, where the file does not declare it. What is dequantised lies in
// memory as it was, also when it is only moved and reshaped on its way.
void infer_elements(const OperatorRow* op, Call& call, std::vector<TensorFacts>& outputs);

// Gives the tensors of a layer the sizes of what they are made of; `output`: of its node. Unknown ones state none.
void set_word_bits(LayerDraft& draft, const TensorFacts& output);

// Whether the operands of a layer have words of different sizes, or of other sizes than their type says.
bool types_differ(const LayerDraft& draft);

// In which order the words of a layer stand in a tensor, followed through reshapes and transposes: from the order in
// which they are made and the order in which they are read edges learn which ranks correspond.

// Parts that follow from the order of their dimensions, each as large as it says: of a dimension that stands there
// several times the first part is the outermost.
Layout layout_of(Layout parts);

// The layout of the output, of shape `out`, in which all words of `input` stand, each once; null: it is no order of
// whole parts, or is not known.
LayoutPtr passed_on(const OperatorRow& op, Call& call, const TensorFacts& input, const LayoutPtr& layout,
                    const std::optional<Shape>& out);

// Which ranks correspond if the maker's words are read in this order, stated as far as both layouts are known: none
// where a part of one rank meets a part of another.
StatedRanks ranks_between(const EdgeEnds& ends, const Layout& made, const Layout& read);

// Words of a tensor that are the same along a dimension, as Expand makes them of one head of keys for several of
// queries (repeat_kv: Unsqueeze, Expand, Reshape). A product whose one operand is repeated along an index of its stack
// reads that operand once for all of the index: there it belongs to the other one.

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

#pragma once
// Types of tensors' elements, and how many bits of each lie in memory.
#include <string>
#include <vector>

#include "engine/formats/onnx/call.h"
#include "engine/formats/onnx/layers.h"
#include "engine/formats/onnx/operators.h"

namespace heliolite::onnx {

// Bits of an element of this TensorProto::DataType; 0: unknown, or of no fixed size.
u64 element_bits(i64 type);

// What a node makes of its inputs' types, in `outputs`, where the file does not declare it. What is dequantised lies in
// memory as it was, also when it is only moved and reshaped on its way.
void infer_elements(const OperatorRow* op, Call& call, std::vector<TensorFacts>& outputs);

// Gives the tensors of a layer the sizes of what they are made of; `output`: of its node. Unknown ones state none.
void set_word_bits(LayerDraft& draft, const TensorFacts& output);

// Whether the operands of a layer have words of different sizes, or of other sizes than their type says.
bool types_differ(const LayerDraft& draft);

}  // namespace heliolite::onnx

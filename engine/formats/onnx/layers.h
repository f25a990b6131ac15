#pragma once
// Operators that multiply matrices: shapes of their outputs, and the Einsums that they are. Both are asked of one call;
// Einsums only if the node is no constant.
#include <string>
#include <vector>

#include "engine/formats/onnx/shapes.h"
#include "workloads/network.h"

namespace heliolite::onnx {

// The output of another Einsum of the same node, or a part of it.
struct InnerSource {
  int draft = 0;  // its number among the node's; the walk makes it that among all layers
  Way way = Way::None;
  std::optional<Slice> part{};
};

// A tensor of the Einsum that is an input of the node, or made inside it.
struct Operand {
  std::string tensor{};
  const TensorFacts* value = nullptr;
  std::optional<InnerSource> inner{};
  const char* lost_by = "";  // why it is not all of `value`, or of the inner source, position by position; "": it is
  u64 bits = 0;              // of its words, if it packs several into one element
  bool once = false;         // words that stand in `value` several times are read once
};

// An Einsum of a node.
struct LayerDraft {
  Workload workload;  // without a name
  u64 count = 1;
  std::string suffix{};  // of its name, where a node is several layers
  std::vector<Operand> operands{};
  const char* lost_by = "";  // why its output is no output of the node, position by position; "": it is
};

using Drafts = std::vector<LayerDraft>;

// layers_conv.cpp: Conv, FusedConv, ConvInteger; QLinearConv has its weights at input 3.
Shapes conv_shape(Call& call);
Drafts conv_layers(Call& call);
// layers_conv.cpp
Shapes conv_transpose_shape(Call& call);
Drafts conv_transpose_layers(Call& call);
// layers.cpp: MatMul and its kin, Gemm
Shapes matmul_shape(Call& call);
Drafts matmul_layers(Call& call);
Shapes gemm_shape(Call& call);
Drafts gemm_layers(Call& call);
Shapes packed_matmul_shape(Call& call);  // MatMulNBits: weights packed, sizes as attributes
Drafts packed_matmul_layers(Call& call);
// layers_einsum.cpp
Shapes einsum_shape(Call& call);
Drafts einsum_layers(Call& call);
// layers.cpp: LSTM, GRU, RNN
Shapes recurrent_shapes(Call& call);
Drafts recurrent_layers(Call& call);

// layers_attention.cpp: ai.onnx's Attention, com.microsoft's and QAttention, which make queries, keys and values too
Shapes attention_shapes(Call& call);
Drafts attention_layers(Call& call);
Shapes multi_head_attention_shapes(Call& call);
Drafts multi_head_attention_layers(Call& call);
Shapes grouped_query_attention_shapes(Call& call);
Drafts grouped_query_attention_layers(Call& call);

// layers.cpp
using Parameters = std::vector<std::pair<std::string_view, i64>>;
// A draft of a family of workloads (families.h) or of an Einsum's text; none, with a complaint, if it is beyond what a
// workload can be.
Drafts family_draft(Call& call, std::string_view family, const Parameters& parameters, std::vector<Operand> operands);
Drafts einsum_draft(Call& call, const std::string& formula, const Parameters& sizes, std::vector<Operand> operands);
// So many products of m x k by k x n: gemm, or bmm of several.
struct StackedSizes {
  i64 stacked = 1, m = 1, n = 1, k = 1;
};
Drafts stacked_draft(Call& call, const StackedSizes& sizes, std::vector<Operand> operands);
// `stacked` products of m x k by k x n. `first` has the columns of n or, if it is the constant one, of m;
// the operand that is constant is A, of two constants or two others the second.
struct Product {
  i64 stacked = 1, of_first = 1, of_second = 1, k = 1;  // of_..: indices that only this operand has
  const TensorFacts *first = nullptr, *second = nullptr;
  bool first_once = false, second_once = false;  // Operand::once
};
Drafts product_draft(Call& call, const Product& product);

}  // namespace heliolite::onnx

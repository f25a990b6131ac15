#pragma once
// Operators that multiply matrices: shapes of their outputs, and the Einsums that they are. Both are asked of one call;
// Einsums only if the node is no constant.
#include <string>
#include <vector>

#include "engine/formats/onnx/call.h"
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
  WordLength bits{};         // of its words, if it packs several into one element; 0: it does not
  bool read_once = false;    // words that stand in `value` several times are read once
  Layout read{};             // the tensor's words as they stand in `value`; empty: unknown
};

// Words packed into the elements of a tensor, in blocks of which each has a scale and perhaps a zero point, which takes
// as many bits as a word.
struct PackedWords {
  i64 bits = 4, block = 0;              // block: 0: none is stated
  const TensorFacts* scales = nullptr;  // null: there are none
  bool zero_points = false;
};

// Bits of a word, with its share of what its block has.
WordLength packed_bits(const PackedWords& words);

// An Einsum of a node.
struct LayerDraft {
  Workload workload;  // without a name
  u64 count = 1;
  std::string suffix{};  // what its name ends with, where a node is several layers
  std::vector<Operand> operands{};
  const char* lost_by = "";  // why its output is no output of the node, position by position; "": it is
  Layout written{};          // its output's words as they stand in that output; empty: unknown
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
Shapes packed_attention_shapes(Call& call);
Drafts packed_attention_layers(Call& call);
Shapes packed_multi_head_attention_shapes(Call& call);
Drafts packed_multi_head_attention_layers(Call& call);
Shapes multi_head_attention_shapes(Call& call);
Drafts multi_head_attention_layers(Call& call);
Shapes grouped_query_attention_shapes(Call& call);
Drafts grouped_query_attention_layers(Call& call);

// mixtures of experts
Shapes moe_shape(Call& call);
Drafts moe_layers(Call& call);

// layers.cpp
using Parameters = std::vector<std::pair<std::string_view, i64>>;
// A draft of a family of workloads (families.h) or of an Einsum's text; none, with a complaint, if it is beyond what a
// workload can be.
Drafts family_draft(Call& call, std::string_view family, const Parameters& parameters, std::vector<Operand> operands);
Drafts einsum_draft(Call& call, const std::string& formula, const Parameters& sizes, std::vector<Operand> operands);
// `stacked` products of m x k by k x n: gemm, or bmm if there are several.
struct StackedSizes {
  i64 stacked = 1, m = 1, n = 1, k = 1;
};
Drafts stacked_draft(Call& call, const StackedSizes& sizes, std::vector<Operand> operands);
// `stacked` products of m x k by k x n. `first` has the columns of n or, if it is the constant one, of m;
// the operand that is constant is A, of two constants or two others the second.
inline constexpr const char* kFirst = "First";
inline constexpr const char* kSecond = "Second";
struct Product {
  i64 stacked = 1, of_first = 1, of_second = 1, k = 1;  // of_..: indices that only this operand has
  const TensorFacts *first = nullptr, *second = nullptr;
  bool first_once = false, second_once = false;  // Operand::once
  // Operand::read and LayerDraft::written, whose dimensions are called H (stacked), K, and First and Second for the
  // indices that only one operand has.
  Layout first_read{}, second_read{}, written{};
};
Drafts product_draft(Call& call, const Product& product);

// Heads of keys and values, each read by a group of queries' heads.
struct AttentionSizes {
  i64 batch = 0, heads = 0, group = 1;
  i64 queries = 0, added = 0, past = 0;  // positions: of queries, of keys in this call and before
  i64 kept = 0;                          // positions of the buffer of keys that later calls get, if it is longer
  i64 depth = 0, value_depth = 0;        // words of a position of a head

  i64 keys() const { return past + added; }
};

// The product that makes queries, keys and values of one array, and the attention.
struct ProjectedAttention {
  AttentionSizes attention;
  i64 in = 0, out = 0;  // words of a position before and after
};

// ai.onnx's Attention: inputs [batch, heads, positions, depth], or [batch, positions, heads x depth] with the heads as
// attributes.
AttentionSizes standard_attention(Call& call);
// MultiHeadAttention: inputs [batch, positions, heads x depth]; keys and values also [batch, heads, positions, depth].
// Queries and all others in one array, or keys and values in one, have five dimensions.
AttentionSizes multi_head_attention(Call& call);
// GroupQueryAttention and SparseAttention: inputs [batch, positions, heads x depth], queries with keys and values
// behind them if those are left out.
AttentionSizes grouped_query_attention(Call& call);
// com.microsoft's Attention, and QAttention.
ProjectedAttention projected_attention(Call& call);

// Attention among sequences whose tokens stand one after the other without padding.
struct PackedAttention {
  ProjectedAttention projected;             // without batch and positions
  i64 tokens = 0;                           // of all sequences
  std::vector<AttentionSizes> of_length{};  // of the sequences of each length
};

// com.microsoft's PackedAttention; PackedMultiHeadAttention, whose queries, keys and values are inputs: nothing is
// projected.
PackedAttention packed_attention(Call& call);
PackedAttention packed_multi_head_attention(Call& call);

struct Windows {
  std::vector<i64> kernel, strides, dilations;
  std::vector<i64> pads;  // of each direction: before and after, as far as they are given
  Shape out;              // positions of the window, by direction
};

// The dimensions after the first two.
Shape image_of(const Shape& shape);

}  // namespace heliolite::onnx

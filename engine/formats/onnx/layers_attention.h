#pragma once
// The sizes of operators of attention, read from shapes and attributes; harmless values after Call::fail().
#include "engine/formats/onnx/call.h"

namespace heliolite::onnx {

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
// GroupQueryAttention: inputs [batch, positions, heads x depth], queries with keys and values behind them if those are
// left out.
AttentionSizes grouped_query_attention(Call& call);
// com.microsoft's Attention, and QAttention.
ProjectedAttention projected_attention(Call& call);

}  // namespace heliolite::onnx

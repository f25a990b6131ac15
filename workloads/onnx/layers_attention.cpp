#include <algorithm>
#include <iterator>
#include <utility>

#include "workloads/edge_words.h"
#include "workloads/onnx/attention_sizes.h"
#include "workloads/onnx/layers.h"
#include "workloads/onnx/repeats.h"

namespace heliolite::onnx {
namespace {

// What the operands of the products are made of.
struct Origins {
  Operand queries, keys, values;
};

constexpr const char* kJoined = "joined to earlier keys and values";
constexpr const char* kPacked = "slice";

// Both products of every head; `first`: the number of the first among the node's layers. K and V are operand A, as
// product_draft has it of two operands that are no constants.
Drafts products(Call& call, const AttentionSizes& a, Origins from, int first) {
  const i64 stacked = elements({a.batch, a.heads}), rows = elements({a.group, a.queries});
  const auto product = [&](const char* suffix, i64 m, i64 k, Operand one, Operand two) {
    one.tensor = "A";
    two.tensor = "B";
    std::vector<Operand> operands{std::move(one), std::move(two)};
    Drafts made = stacked_draft(call, {stacked, m, rows, k}, std::move(operands));
    for (LayerDraft& draft : made) draft.suffix = suffix;
    return made;
  };
  Drafts all = product(".scores", a.keys(), a.depth, std::move(from.keys), std::move(from.queries));
  const Operand weights{.inner = InnerSource{.draft = first, .way = Way::Softmax}};
  Drafts context = product(".context", a.value_depth, a.keys(), std::move(from.values), weights);
  std::ranges::move(context, std::back_inserter(all));
  return all;
}

// Keys and values of which each head stands there for several of queries are read once for these.
bool share_repeated_heads(const TensorFacts& keys, const TensorFacts& values, AttentionSizes& a) {
  if (a.past > 0 || keys.shape->size() != values.shape->size()) return false;
  const std::size_t heads = keys.shape->size() == 4 ? 1 : 2;  // [batch, heads, ..] or [batch, positions, heads x words]
  if (keys.shape->size() != 3 && keys.shape->size() != 4) return false;
  const i64 times = repeated_heads(keys, heads, values, heads, a.heads);
  a.heads /= times;
  a.group *= times;
  return times > 1;
}

// The products where queries, keys and values are inputs 0, 1 and 2. Arrays that are left out are packed into the one
// before.
Drafts products_of_inputs(Call& call, AttentionSizes a) {
  if (!call.ok()) return {};
  const bool alone = call.input(1) == nullptr, packed = alone || call.input(2) == nullptr;
  const TensorFacts *queries = call.input(0), *keys = alone ? queries : call.input(1);
  const TensorFacts* values = packed ? keys : call.input(2);
  const char* lost_by = packed ? kPacked : a.past > 0 ? kJoined : "";
  const bool once = !packed && share_repeated_heads(*keys, *values, a);
  return products(call, a,
                  {{.value = queries, .lost_by = alone ? kPacked : ""},
                   {.value = keys, .lost_by = lost_by, .once = once},
                   {.value = values, .lost_by = lost_by, .once = once}},
                  0);
}

// The output, keys and values for later calls.
Shapes shapes_of(const AttentionSizes& a, bool flat) {
  const i64 heads = a.heads * a.group, kept = std::max(a.kept, a.keys());
  Shape out{a.batch, heads, a.queries, a.value_depth};
  if (flat) out = {a.batch, a.queries, heads * a.value_depth};
  return {out, {a.batch, a.heads, kept, a.depth}, {a.batch, a.heads, kept, a.value_depth}};
}

Shapes projected_shapes(Call& call) {
  const AttentionSizes a = projected_attention(call).attention;
  return {{a.batch, a.queries, a.heads * a.value_depth}, {2, a.batch, a.heads, a.keys(), a.depth}};
}

// The product with the weights too. Its rows, or columns if the input is the constant, are those of queries, keys and
// values, one after the other.
Drafts projected_layers(Call& call) {
  const ProjectedAttention p = projected_attention(call);
  const AttentionSizes& a = p.attention;
  if (!call.ok()) return {};
  Drafts all = product_draft(call, {.of_first = elements({a.batch, a.queries}),
                                    .of_second = p.out,
                                    .k = p.in,
                                    .first = call.input(0),
                                    .second = call.input(1)});
  if (!call.ok()) return {};
  all[0].suffix = ".qkv";
  const Workload& qkv = all[0].workload;
  const bool in_columns = call.input(0)->constant && !call.input(1)->constant;
  const int rank = find_rank(qkv, qkv.output(), in_columns ? "N" : "M").value_or(0);
  const auto part = [&](i64 from, i64 words, const char* lost_by) {
    const Slice slice{rank, static_cast<u64>(from), static_cast<u64>(words)};
    return Operand{.inner = InnerSource{.draft = 0, .part = slice}, .lost_by = lost_by};
  };
  const i64 width = a.heads * a.depth;
  const char* joined = a.past > 0 ? kJoined : "";
  Drafts both = products(
      call, a, {part(0, width, ""), part(width, width, joined), part(2 * width, a.heads * a.value_depth, joined)}, 1);
  std::ranges::move(both, std::back_inserter(all));
  return all;
}

// Of com.microsoft; ai.onnx has another operator of the name.
bool projects(const Call& call) { return call.op() == "QAttention" || call.domain() == "com.microsoft"; }

}  // namespace

Shapes attention_shapes(Call& call) {
  if (projects(call)) return projected_shapes(call);
  const AttentionSizes a = standard_attention(call);
  Shapes shapes = shapes_of(a, call.shape(0).size() == 3);
  shapes.push_back({a.batch, a.heads * a.group, a.queries, a.keys()});
  return shapes;
}

Drafts attention_layers(Call& call) {
  if (projects(call)) return projected_layers(call);
  return products_of_inputs(call, standard_attention(call));
}

Shapes multi_head_attention_shapes(Call& call) { return shapes_of(multi_head_attention(call), true); }

Drafts multi_head_attention_layers(Call& call) { return products_of_inputs(call, multi_head_attention(call)); }

Shapes grouped_query_attention_shapes(Call& call) { return shapes_of(grouped_query_attention(call), true); }

Drafts grouped_query_attention_layers(Call& call) { return products_of_inputs(call, grouped_query_attention(call)); }

}  // namespace heliolite::onnx

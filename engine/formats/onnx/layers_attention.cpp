// Operators of transformers as Einsums: attention, and mixtures of experts.
#include <fmt/format.h>

#include <iterator>
#include <span>
#include <utility>

#include "engine/formats/onnx/layers.h"
#include "engine/formats/onnx/words.h"
#include "workloads/families.h"
#include "workloads/graph.h"

namespace heliolite::onnx {

// Operators of attention as Einsums: the products of scores and of values, and those that make queries, keys and
// values.

namespace {

// What the operands of the products are made of.
struct Origins {
  Operand queries, keys, values;
};

constexpr const char* kJoined = "joined to earlier keys and values";
constexpr const char* kPacked = "slice";
constexpr const char* kOfOneLength = "sequences of one length";

// An array of heads, [batch, positions, heads x words] or [batch, heads, positions, words]; of a group of queries'
// heads for each of keys the positions of one come after those of another.
Layout heads_layout(const AttentionSizes& a, const char* along, i64 positions, i64 group, const Part& words,
                    bool flat) {
  const Part batch{"H", a.batch, a.heads}, heads{"H", a.heads}, of_group{along, group, positions}, of{along, positions};
  Layout all{batch, of, heads, of_group, words};
  if (!flat) all = {batch, heads, of_group, of, words};
  std::erase_if(all, [](const Part& part) { return part.size == 1; });
  return all;
}

// Both products of every head; `first`: the number of the first among the node's layers. K and V are operand A, as
// product_draft has it of two operands that are no constants.
Drafts products(Call& call, const AttentionSizes& a, Origins from, int first, bool flat) {
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
  if (call.ok()) all.front().written = layout_of({{"H", stacked}, {"M", a.keys()}, {"N", rows}});
  const Operand weights{.inner = InnerSource{.draft = first, .way = Way::Softmax},
                        .read = layout_of({{"H", stacked}, {"K", a.keys()}, {"N", rows}})};
  Drafts context = product(".context", a.value_depth, a.keys(), std::move(from.values), weights);
  if (call.ok()) context.front().written = heads_layout(a, "N", a.queries, a.group, {"M", a.value_depth}, flat);
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
// before. `flat`: the output has three dimensions.
Drafts products_of_inputs(Call& call, AttentionSizes a, bool flat) {
  if (!call.ok()) return {};
  const bool alone = call.input(1) == nullptr, packed = alone || call.input(2) == nullptr;
  const TensorFacts *queries = call.input(0), *keys = alone ? queries : call.input(1);
  const TensorFacts* values = packed ? keys : call.input(2);
  const char* lost_by = packed ? kPacked : a.past > 0 ? kJoined : "";
  const bool read_once = !packed && share_repeated_heads(*keys, *values, a);
  const auto layout = [&](const TensorFacts* value, const char* along, i64 positions, i64 group, const Part& words) {
    const std::size_t ranks = value->shape ? value->shape->size() : 0;
    return ranks == 3 || ranks == 4 ? heads_layout(a, along, positions, group, words, ranks == 3) : Layout{};
  };
  return products(call, a,
                  {{.value = queries,
                    .lost_by = alone ? kPacked : "",
                    .read = layout(queries, "N", a.queries, a.group, {"K", a.depth})},
                   {.value = keys,
                    .lost_by = lost_by,
                    .read_once = read_once,
                    .read = layout(keys, "M", a.keys(), 1, {"K", a.depth})},
                   {.value = values,
                    .lost_by = lost_by,
                    .read_once = read_once,
                    .read = layout(values, "K", a.keys(), 1, {"M", a.value_depth})}},
                  0, flat);
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

// Adds the products of sequences of each length; `origins(a)`: of those of one.
template <class OriginsOf>
void add_every_length(Call& call, std::span<const AttentionSizes> sizes, OriginsOf&& origins, Drafts& all) {
  for (const AttentionSizes& a : sizes) {
    Drafts both = products(call, a, origins(a), static_cast<int>(all.size()), true);
    if (!call.ok()) return;
    if (&a != &sizes.front())
      for (LayerDraft& draft : both) draft.suffix += fmt::format("_{}", a.queries);
    if (sizes.size() > 1) both.back().lost_by = kOfOneLength, both.back().written = {};
    std::ranges::move(both, std::back_inserter(all));
  }
}

// The product with the weights too. Its rows, or columns if the input is the constant, are those of queries, keys and
// values, one after the other.
// `sizes`: of the attention, one for each length of sequences.
Drafts projected_layers(Call& call, const ProjectedAttention& p, i64 tokens, std::span<const AttentionSizes> sizes) {
  if (!call.ok()) return {};
  Drafts all = product_draft(
      call, {.of_first = tokens, .of_second = p.out, .k = p.in, .first = call.input(0), .second = call.input(1)});
  if (!call.ok()) return {};
  all[0].suffix = ".qkv";
  const Workload& qkv = all[0].workload;
  const bool in_columns = call.input(0)->constant && !call.input(1)->constant;
  const int rank = find_rank(qkv, qkv.output(), in_columns ? "N" : "M").value_or(0);
  const auto part = [&](i64 from, i64 words, const char* lost_by) {
    const Slice slice{rank, static_cast<u64>(from), static_cast<u64>(words)};
    return Operand{.inner = InnerSource{.draft = 0, .part = slice}, .lost_by = lost_by};
  };
  const char* some = sizes.size() > 1 ? kOfOneLength : "";
  const auto origins = [&](const AttentionSizes& a) {
    const i64 width = a.heads * a.depth;
    const char* joined = a.past > 0 ? kJoined : some;
    return Origins{part(0, width, some), part(width, width, joined), part(2 * width, a.heads * a.value_depth, joined)};
  };
  add_every_length(call, sizes, origins, all);
  if (!call.ok()) return {};
  return all;
}

Drafts projected_layers(Call& call) {
  const ProjectedAttention p = projected_attention(call);
  const AttentionSizes& a = p.attention;
  return projected_layers(call, p, elements({a.batch, a.queries}), {&a, 1});
}

// Whether the operator is com.microsoft's, which projects; ai.onnx has another one of the name.
bool projects(const Call& call) { return call.op() == "QAttention" || call.domain() == "com.microsoft"; }

Shapes packed_shapes(const PackedAttention& p) {
  const AttentionSizes& a = p.projected.attention;
  return {{p.tokens, a.heads * a.value_depth}};
}

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
  return products_of_inputs(call, standard_attention(call), call.shape(0).size() == 3);
}

Shapes packed_attention_shapes(Call& call) { return packed_shapes(packed_attention(call)); }

Drafts packed_attention_layers(Call& call) {
  const PackedAttention p = packed_attention(call);
  return projected_layers(call, p.projected, p.tokens, p.of_length);
}

Shapes packed_multi_head_attention_shapes(Call& call) { return packed_shapes(packed_multi_head_attention(call)); }

Drafts packed_multi_head_attention_layers(Call& call) {
  const PackedAttention p = packed_multi_head_attention(call);
  const bool alone = call.input(1) == nullptr;
  const auto origins = [&](const AttentionSizes& a) {
    const auto input = [&](std::size_t i, const char* along, const Part& words) {
      Operand out{.value = call.input(alone ? 0 : i), .lost_by = p.of_length.size() > 1 ? kOfOneLength : ""};
      if (alone) out.lost_by = kPacked;
      else out.read = heads_layout(a, along, a.queries, 1, words, true);
      return out;
    };
    return Origins{input(0, "N", {"K", a.depth}), input(1, "M", {"K", a.depth}), input(2, "K", {"M", a.value_depth})};
  };
  Drafts all;
  if (call.ok()) add_every_length(call, p.of_length, origins, all);
  if (!call.ok()) return {};
  return all;
}

Shapes multi_head_attention_shapes(Call& call) { return shapes_of(multi_head_attention(call), true); }

Drafts multi_head_attention_layers(Call& call) { return products_of_inputs(call, multi_head_attention(call), true); }

Shapes grouped_query_attention_shapes(Call& call) { return shapes_of(grouped_query_attention(call), true); }

Drafts grouped_query_attention_layers(Call& call) {
  return products_of_inputs(call, grouped_query_attention(call), true);
}

// Mixtures of experts (com.microsoft's MoE and QMoE) as Einsums: the products of the active experts, whose weights are
// dimension h, tokens spread evenly (workloads/families.h).

namespace {

// Where the weights of the products are among the inputs, and how many stand in an element. Scales of packed ones
// follow them.
struct MoeWeights {
  std::size_t up = 2, down = 4, gate = 6;
  i64 bits = 0;  // of a packed weight; 0: they are not packed

  bool packed() const { return bits != 0; }
  i64 in_element() const { return packed() ? 8 / bits : 1; }
};

MoeWeights moe_weights(Call& call) {
  if (call.op() != "QMoE") return {};
  MoeWeights out{.up = 2, .down = 5, .gate = 8, .bits = call.integer("expert_weight_bits", 4)};
  if (out.bits == 1 || out.bits == 2 || out.bits == 4 || out.bits == 8) return out;
  call.fail(fmt::format("expert_weight_bits = {}, must be 1, 2, 4 or 8", out.bits));
  return {};
}

struct MoeSizes {
  i64 tokens = 1, hidden = 1, experts = 1, per_token = 1;
  i64 up = 1;     // rows of the first product: the inner width, twice that if the gate is part of it
  i64 inner = 1;  // of the second
};

// Weights [experts, a, b], of which one is the width of the model, whichever the exporter puts first: the other. Packed
// are those of b.
i64 other_width(Call& call, std::size_t input, i64 in_element, const MoeSizes& m) {
  Shape weights = call.shape(input, 3);
  if (!call.ok()) return 1;
  weights[2] *= in_element;
  const bool last = weights[2] == m.hidden;
  if (weights[0] != m.experts || (!last && weights[1] != m.hidden))
    call.fail(
        fmt::format("weights of {} for {} experts and {} words of a token", to_text(weights), m.experts, m.hidden));
  return last ? weights[1] : weights[2];
}

MoeSizes moe_sizes(Call& call, const MoeWeights& weights) {
  MoeSizes m;
  const Shape& tokens = call.shape(0);
  const Shape& first = call.shape(weights.up, 3);
  if (call.ok() && (tokens.size() < 2 || tokens.size() > 3)) call.fail(fmt::format("tokens of {}", to_text(tokens)));
  if (!call.ok()) return m;
  m.hidden = tokens.back();
  m.tokens = elements(tokens) / std::max<i64>(1, m.hidden);
  m.experts = first[0];
  m.per_token = call.integer("k", 1);
  m.up = other_width(call, weights.up, weights.in_element(), m);
  m.inner = other_width(call, weights.down, weights.in_element(), m);
  if (call.ok() && (m.per_token < 1 || m.per_token > m.experts))
    call.fail(fmt::format("k = {}, must be from 1 to the {} experts", m.per_token, m.experts));
  if (call.ok() && (m.tokens < 1 || m.tokens > kMaxSize || m.hidden < 1 || (m.up != m.inner && m.up != 2 * m.inner)))
    call.fail(fmt::format("products to {} words and from {}", m.up, m.inner));
  return m;
}

constexpr const char* kChosen = "a selection of experts";
constexpr std::size_t kZeroPoints = 11;  // of QMoE: those of each product's weights

}  // namespace

Shapes moe_shape(Call& call) { return {call.shape(0)}; }

Drafts moe_layers(Call& call) {
  const MoeWeights weights = moe_weights(call);
  const MoeSizes m = moe_sizes(call, weights);
  const i64 block = call.integer("block_size", 0);
  const bool zero_points = weights.packed() && call.input(kZeroPoints) != nullptr;
  Drafts all;
  if (!call.ok()) return all;
  const auto product = [&](const ExpertGroup& group, std::size_t input, i64 rows, i64 k, const char* suffix) {
    std::vector<Operand> operands{{.tensor = "A", .value = call.input(input), .lost_by = kChosen}};
    if (weights.packed()) operands[0].bits = packed_bits({weights.bits, block, call.input(input + 1), zero_points});
    if (input != weights.down) operands.push_back({.tensor = "B", .value = call.input(0), .lost_by = kChosen});
    Drafts made = stacked_draft(call, {static_cast<i64>(group.experts), rows, static_cast<i64>(group.tokens), k},
                                std::move(operands));
    for (LayerDraft& draft : made) {
      draft.suffix = suffix;
      draft.lost_by = kChosen;
      all.push_back(std::move(draft));
    }
  };
  const std::vector<ExpertGroup> groups =
      spread_tokens(static_cast<u64>(m.experts), static_cast<u64>(m.tokens), static_cast<u64>(m.per_token));
  for (const ExpertGroup& group : groups) {
    const bool more = &group != &groups.front();
    product(group, weights.up, m.up, m.hidden, more ? ".fc1_more" : ".fc1");
    if (call.input(weights.gate) != nullptr)
      product(group, weights.gate, m.inner, m.hidden, more ? ".fc3_more" : ".fc3");
    product(group, weights.down, m.hidden, m.inner, more ? ".fc2_more" : ".fc2");
  }
  return all;
}

}  // namespace heliolite::onnx

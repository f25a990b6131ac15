// The sizes of operators of attention, read from shapes and attributes; harmless values after Call::fail().
#include "engine/formats/onnx/layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "engine/formats/onnx/layout.h"
#include "engine/formats/onnx/repeats.h"
#include "workloads/graph.h"

namespace heliolite::onnx {
namespace {

void positive(Call& call, const char* name, i64 value) {
  if (value < 1 || value > kMaxSize) call.fail(fmt::format("{} = {}, must be from 1 to {}", name, value, kMaxSize));
}

i64 heads_of(Call& call, const char* attribute) {
  const i64 heads = call.integer(attribute, 0);
  positive(call, attribute, heads);
  return call.ok() ? heads : 1;
}

// size / heads, which must divide.
i64 per_head(Call& call, i64 size, i64 heads) {
  if (size % heads != 0) call.fail(fmt::format("a width of {} for {} heads", size, heads));
  return size / heads;
}

// Positions of `past` [batch, heads, positions, depth], 0 if it is left out.
i64 past_positions(Call& call, std::size_t input, i64 batch, i64 heads) {
  if (call.input(input) == nullptr) return 0;
  const Shape& past = call.shape(input, 4);
  if (!call.ok()) return 0;
  if (past[0] != batch || past[1] != heads) call.fail(fmt::format("earlier keys or values of {}", to_text(past)));
  return past[2];
}

void check(Call& call, const AttentionSizes& a) {
  positive(call, "batch", a.batch);
  positive(call, "positions of queries", a.queries);
  positive(call, "positions of keys", a.keys());
  positive(call, "words of a head", std::min(a.depth, a.value_depth));
}

}  // namespace

AttentionSizes standard_attention(Call& call) {
  AttentionSizes a;
  const Shape &q = call.shape(0), &k = call.shape(1), &v = call.shape(2);
  if (call.ok() && ((q.size() != 3 && q.size() != 4) || k.size() != q.size() || v.size() != q.size()))
    call.fail(fmt::format("queries, keys and values of {}, {} and {}", to_text(q), to_text(k), to_text(v)));
  if (!call.ok()) return a;
  const bool flat = q.size() == 3;
  const i64 query_heads = flat ? heads_of(call, "q_num_heads") : q[1];
  a.heads = flat ? heads_of(call, "kv_num_heads") : k[1];
  positive(call, "heads of keys", a.heads);
  if (!call.ok()) return a;
  const std::size_t positions = flat ? 1 : 2;
  a.batch = q[0];
  a.group = per_head(call, query_heads, a.heads);
  a.queries = q[positions];
  a.added = k[positions];
  a.depth = flat ? per_head(call, q[2], query_heads) : q[3];
  a.value_depth = flat ? per_head(call, v[2], a.heads) : v[3];
  a.past = past_positions(call, 4, a.batch, a.heads);
  if (k[0] != a.batch || v[0] != a.batch || v[positions] != a.added || (!flat && v[1] != a.heads) ||
      k.back() != (flat ? a.heads * a.depth : a.depth))
    call.fail(fmt::format("queries, keys and values of {}, {} and {}", to_text(q), to_text(k), to_text(v)));
  if (call.input(6) != nullptr) call.fail("lengths of keys that are given for each batch are not read");
  check(call, a);
  return a;
}

AttentionSizes multi_head_attention(Call& call) {
  AttentionSizes a;
  a.heads = heads_of(call, "num_heads");
  const Shape& q = call.shape(0);
  const bool all_packed = q.size() == 5;
  if (call.ok() && !all_packed && q.size() != 3) call.fail(fmt::format("queries of {}", to_text(q)));
  const bool alone = call.input(1) == nullptr && call.input(2) == nullptr;
  if (call.ok() && all_packed && (q[2] != a.heads || q[3] != 3 || !alone))
    call.fail(fmt::format("queries of {}", to_text(q)));
  if (!call.ok()) return a;
  a.batch = q[0];
  a.queries = q[1];
  a.depth = a.value_depth = all_packed ? q[4] : per_head(call, q[2], a.heads);
  a.added = a.queries;
  if (!all_packed) {
    const Shape& k = call.shape(1);
    const bool packed = k.size() == 5;
    if (call.ok() && packed && call.input(2) != nullptr) call.fail(fmt::format("keys and values of {}", to_text(k)));
    const Shape v = packed ? Shape() : call.shape(2);
    if (!call.ok()) return a;
    const auto fits = [&](const Shape& array, i64& depth) {
      if (array.size() == 4) depth = array[3];
      if (array.size() == 3) depth = per_head(call, array[2], a.heads);
      return array[0] == a.batch && (array.size() == 3 || (array.size() == 4 && array[1] == a.heads));
    };
    i64 depth = a.depth;
    bool fit = packed ? k[0] == a.batch && k[2] == a.heads && k[3] == 2 && k[4] == a.depth
                      : !k.empty() && !v.empty() && fits(k, depth) && fits(v, a.value_depth) && depth == a.depth;
    if (fit) a.added = k[k.size() == 4 ? 2 : 1];
    fit = fit && (packed || v[v.size() == 4 ? 2 : 1] == a.added);
    if (!fit) call.fail(fmt::format("queries, keys and values of {}, {} and {}", to_text(q), to_text(k), to_text(v)));
  }
  a.past = past_positions(call, 6, a.batch, a.heads);
  if (call.input(8) != nullptr) call.fail("earlier keys in a longer buffer are not read");
  check(call, a);
  return a;
}

AttentionSizes grouped_query_attention(Call& call) {
  AttentionSizes a;
  const i64 query_heads = heads_of(call, "num_heads");
  a.heads = heads_of(call, "kv_num_heads");
  a.group = per_head(call, query_heads, a.heads);
  const Shape& q = call.shape(0, 3);
  if (!call.ok()) return a;
  const bool packed = call.input(1) == nullptr;
  a.batch = q[0];
  a.queries = a.added = q[1];
  a.depth = a.value_depth = per_head(call, q[2], query_heads + (packed ? 2 * a.heads : 0));
  if (!packed) {
    const Shape &k = call.shape(1, 3), &v = call.shape(2, 3);
    if (!call.ok()) return a;
    a.added = k[1];
    if (k != Shape{a.batch, a.added, a.heads * a.depth} || v != k)
      call.fail(fmt::format("queries, keys and values of {}, {} and {}", to_text(q), to_text(k), to_text(v)));
  }
  a.past = past_positions(call, 3, a.batch, a.heads);
  // Earlier keys may lie in a longer buffer; this says how many there are in all.
  a.kept = a.past;
  if (a.past > 0) {
    const std::optional<std::vector<i64>> total = call.integers_of(6);
    if (call.ok() && (!total || total->size() != 1 || total->front() < a.added || total->front() > kMaxSize))
      call.fail("total_sequence_length does not fit");
    if (call.ok()) a.past = total->front() - a.added;
  }
  check(call, a);
  return a;
}

namespace {

// The product, and the words of a head; the input has so many ranks, of which the last is the words of a position.
ProjectedAttention projection_of(Call& call, std::size_t ranks) {
  ProjectedAttention p;
  AttentionSizes& a = p.attention;
  a.heads = heads_of(call, "num_heads");
  const Shape &in = call.shape(0, ranks), &weights = call.shape(1, 2);
  if (call.ok() && in.back() != weights[0])
    call.fail(fmt::format("an input of {} and weights of {}", to_text(in), to_text(weights)));
  if (!call.ok()) return p;
  p.in = in.back();
  p.out = weights[1];
  std::vector<i64> sizes(3, p.out / 3);
  if (const auto given = call.integers("qkv_hidden_sizes")) sizes = *given;
  if (call.ok() && (sizes.size() != 3 || sizes[0] != sizes[1] || sizes[0] < 1 || sizes[2] < 1 || sizes[0] > p.out ||
                    sizes[2] > p.out || 2 * sizes[0] + sizes[2] != p.out))
    call.fail(
        fmt::format("queries, keys and values of {} words for {} columns of weights", fmt::join(sizes, ", "), p.out));
  if (!call.ok()) return p;
  a.depth = per_head(call, sizes[0], a.heads);
  a.value_depth = per_head(call, sizes[2], a.heads);
  return p;
}

}  // namespace

ProjectedAttention projected_attention(Call& call) {
  ProjectedAttention p = projection_of(call, 3);
  AttentionSizes& a = p.attention;
  if (!call.ok()) return p;
  const Shape& in = call.shape(0, 3);
  a.batch = in[0];
  a.queries = a.added = in[1];
  const std::size_t past = call.op() == "QAttention" ? 8 : 4;
  if (call.input(past) != nullptr) {
    const Shape& earlier = call.shape(past, 5);
    if (call.ok() && (earlier[0] != 2 || earlier[1] != a.batch || earlier[2] != a.heads))
      call.fail(fmt::format("earlier keys and values of {}", to_text(earlier)));
    if (call.ok()) a.past = earlier[3];
  }
  if (call.integer("past_present_share_buffer", 0) != 0) call.fail("earlier keys in a longer buffer are not read");
  check(call, a);
  return p;
}

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
  for (const AttentionSizes& a : sizes) {
    const i64 width = a.heads * a.depth;
    const char* joined = a.past > 0 ? kJoined : some;
    Drafts both = products(
        call, a, {part(0, width, some), part(width, width, joined), part(2 * width, a.heads * a.value_depth, joined)},
        static_cast<int>(all.size()), true);
    if (!call.ok()) return {};
    if (&a != &sizes.front())
      for (LayerDraft& draft : both) draft.suffix += fmt::format("_{}", a.queries);
    if (sizes.size() > 1) both.back().lost_by = some, both.back().written = {};
    std::ranges::move(both, std::back_inserter(all));
  }
  return all;
}

Drafts projected_layers(Call& call) {
  const ProjectedAttention p = projected_attention(call);
  const AttentionSizes& a = p.attention;
  return projected_layers(call, p, elements({a.batch, a.queries}), {&a, 1});
}

// So many sequences of so many tokens.
struct Sequences {
  i64 length = 0, count = 0;
};

// Of tokens that stand one after the other without padding: by where each sequence ends, if that is known, else as the
// longest if all are.
std::vector<Sequences> sequences_of(Call& call, i64 tokens) {
  std::map<i64, i64> counts;
  const bool known = call.input(4) != nullptr && call.input(4)->contents && !call.input(4)->contents->real;
  if (const auto ends = known ? call.integers_of(4) : std::nullopt) {
    for (std::size_t k = 1; k < ends->size(); ++k) ++counts[(*ends)[k] - (*ends)[k - 1]];
    if (ends->size() < 2 || ends->front() != 0 || ends->back() != tokens || counts.begin()->first < 0)
      call.fail(
          fmt::format("sequences that end at {}, must be from 0 to the {} tokens", fmt::join(*ends, ", "), tokens));
  } else if (const Shape& offsets = call.shape(3, 2); call.ok()) {
    counts[offsets[1]] = offsets[0];
    if (offsets[0] * offsets[1] != tokens)
      call.fail(
          fmt::format("{} tokens of {} sequences of at most {}: how long each is must be known, a constant "
                      "cumulative_sequence_length",
                      tokens, offsets[0], offsets[1]));
  }
  std::vector<Sequences> out;
  for (const auto& [length, count] : counts)
    if (call.ok() && length > 0) out.push_back({length, count});
  return out;
}

// Whether the operator is com.microsoft's, which projects; ai.onnx has another one of the name.
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
  return products_of_inputs(call, standard_attention(call), call.shape(0).size() == 3);
}

Shapes packed_attention_shapes(Call& call) {
  const AttentionSizes a = projection_of(call, 2).attention;
  return {{call.ok() ? call.shape(0)[0] : 0, a.heads * a.value_depth}};
}

Drafts packed_attention_layers(Call& call) {
  const ProjectedAttention p = projection_of(call, 2);
  if (!call.ok()) return {};
  const i64 tokens = call.shape(0)[0];
  std::vector<AttentionSizes> sizes;
  for (const Sequences& s : sequences_of(call, tokens)) {
    sizes.push_back(p.attention);
    sizes.back().batch = s.count;
    sizes.back().queries = sizes.back().added = s.length;
    check(call, sizes.back());
  }
  return projected_layers(call, p, tokens, sizes);
}

Shapes multi_head_attention_shapes(Call& call) { return shapes_of(multi_head_attention(call), true); }

Drafts multi_head_attention_layers(Call& call) { return products_of_inputs(call, multi_head_attention(call), true); }

Shapes grouped_query_attention_shapes(Call& call) { return shapes_of(grouped_query_attention(call), true); }

Drafts grouped_query_attention_layers(Call& call) {
  return products_of_inputs(call, grouped_query_attention(call), true);
}

}  // namespace heliolite::onnx

// The sizes of operators of attention, read from shapes and attributes; harmless values after Call::fail().
#include "engine/formats/onnx/layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>

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
    const std::optional<std::vector<i64>> total = call.integers_of(call.op() == "SparseAttention" ? 7 : 6);
    if (call.ok() && (!total || total->size() != 1 || total->front() < a.added || total->front() > kMaxSize))
      call.fail("total_sequence_length does not fit");
    if (call.ok()) a.past = total->front() - a.added;
  }
  check(call, a);
  return a;
}

namespace {

// The product, and the words of a head; of the input's `ranks` ranks the last is the words of a position.
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

// `count` sequences of `length` tokens each.
struct Sequences {
  i64 length = 0, count = 0;
};

// The sequences of tokens without padding between them: by where each ends, if that is known, else as the longest if
// all are. `places`: the input [sequences, longest] that says where each token was; the next one has the
// ends.
std::vector<Sequences> sequences_of(Call& call, i64 tokens, std::size_t places) {
  std::map<i64, i64> counts;
  const TensorFacts* const stated = call.input(places + 1);
  const bool known = stated != nullptr && stated->contents && !stated->contents->real;
  if (const auto ends = known ? call.integers_of(places + 1) : std::nullopt) {
    for (std::size_t k = 1; k < ends->size(); ++k) ++counts[(*ends)[k] - (*ends)[k - 1]];
    if (ends->size() < 2 || ends->front() != 0 || ends->back() != tokens || counts.begin()->first < 0)
      call.fail(
          fmt::format("sequences that end at {}, must be from 0 to the {} tokens", fmt::join(*ends, ", "), tokens));
  } else if (const Shape& offsets = call.shape(places, 2); call.ok()) {
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

// Sequences of each length, by the input that says where each token was.
void add_lengths(Call& call, PackedAttention& p, std::size_t places) {
  if (!call.ok()) return;
  p.tokens = call.shape(0)[0];
  for (const Sequences& s : sequences_of(call, p.tokens, places)) {
    AttentionSizes& a = p.of_length.emplace_back(p.projected.attention);
    a.batch = s.count;
    a.queries = a.added = s.length;
    check(call, a);
  }
}

}  // namespace

PackedAttention packed_attention(Call& call) {
  PackedAttention p{.projected = projection_of(call, 2)};
  add_lengths(call, p, 3);
  return p;
}

PackedAttention packed_multi_head_attention(Call& call) {
  PackedAttention p;
  AttentionSizes& a = p.projected.attention;
  a.heads = heads_of(call, "num_heads");
  const bool alone = call.input(1) == nullptr && call.input(2) == nullptr;
  const Shape& q = call.shape(0, alone ? 4 : 2);
  if (!call.ok()) return p;
  if (alone) {
    if (q[1] != a.heads || q[2] != 3) call.fail(fmt::format("queries of {}", to_text(q)));
    a.depth = a.value_depth = q[3];
  } else {
    const Shape &k = call.shape(1, 2), &v = call.shape(2, 2);
    if (!call.ok()) return p;
    if (k != q || v[0] != q[0])
      call.fail(fmt::format("queries, keys and values of {}, {} and {}", to_text(q), to_text(k), to_text(v)));
    a.depth = per_head(call, q[1], a.heads);
    a.value_depth = per_head(call, v[1], a.heads);
  }
  add_lengths(call, p, 4);
  return p;
}

}  // namespace heliolite::onnx

// Attention as layers: with heads of keys that groups of queries share, and with latent vectors in place of keys.
#include <fmt/format.h>

#include <algorithm>

#include "engine/formats/language_model/blocks.h"

namespace heliolite::language_model {

// Attention with heads of keys that groups of queries share (Ainslie et al., "GQA", EMNLP 2023). Keys and values of
// earlier tokens are inputs, which are read with those of the new ones; the projections write the new ones.

namespace {

// "ranks: {M: [H, D], N: [B, M]}", without the pairs of which one side is empty.
std::string projected(std::string_view rows, std::string_view columns) {
  std::string pairs = rows == "[]" ? "" : fmt::format("M: {}", rows);
  if (columns != "[]") pairs += fmt::format("{}N: {}", pairs.empty() ? "" : ", ", columns);
  return fmt::format("ranks: {{{}}}", pairs);
}

// The tokens of an operand whose rank M slides with N.
std::string slide(std::string operand) {
  operand.replace(operand.find('M'), 1, "N+M");
  return operand;
}

}  // namespace

std::vector<TokenSpan> spans(LookBack reach, u64 window, const Run& run) {
  const bool everything = reach == LookBack::All || (reach == LookBack::Window && run.context() <= window);
  if (everything) return {{1, run.context(), run.fresh}};
  if (reach == LookBack::Window) return {{1, window, run.fresh, run.fresh > 1}};
  // The chunk that the cache has begun, whole ones, and the beginning of the last one.
  std::vector<TokenSpan> all;
  u64 left = run.fresh;
  if (const u64 begun = run.cached % window; begun > 0) {
    const u64 fresh = std::min(left, window - begun);
    all.push_back({1, begun + fresh, fresh});
    left -= fresh;
  }
  if (left >= window) all.push_back({left / window, window, window});
  if (left % window > 0) all.push_back({1, left % window, left % window});
  return all;
}

void BlockText::attention(LookBack reach) {
  const u64 keys = config_.key_heads * config_.head, queries = config_.heads * config_.head;
  out_.gemm("k_proj", keys, tokens_, config_.hidden, ", reads: {B: X}");
  out_.gemm("v_proj", keys, tokens_, config_.hidden);
  out_.gemm("q_proj", queries, tokens_, config_.hidden);
  for (const char* to : {"v_proj", "q_proj"}) out_.edge("X", to, "B", "ranks: {K: K, N: N}");
  const std::vector<TokenSpan> parts = spans(reach, config_.window, run_);
  for (std::size_t i = 0; i < parts.size(); ++i)
    span(parts[i], i == 0 ? "" : fmt::format("_{}", i + 1), parts.size() == 1);
  out_.gemm("attention", config_.hidden, tokens_, queries);
}

// One part of the tokens: edges do not state that each part has its slice of them.
void BlockText::span(const TokenSpan& span, std::string_view suffix, bool alone) {
  const u64 groups = config_.heads / config_.key_heads;
  const Dimensions d({{"B", batch_ * span.count},
                      {"H", config_.key_heads},
                      {"G", groups},
                      {"M", span.context},
                      {"N", span.fresh},
                      {"D", config_.head}},
                     "MD");
  std::string k = d.operand("K", "BHMD"), v = d.operand("V", "BHDM");
  if (span.sliding) k = slide(k), v = slide(v);
  const std::string s = d.operand("S", "BHGMN"), scores = fmt::format("scores{}", suffix);
  const std::string context = fmt::format("context{}", suffix), sizes = d.sizes();
  out_.product(scores, s, k, d.operand("Q", "BHGDN"), sizes, 'K');
  softmax(d, "BHGMN", suffix);
  out_.product(context, d.operand("C", "BHGDN"), v, s, sizes, 'V');
  if (!alone) return;
  const char* turned = config_.normed_heads ? "through: norm" : "through: elementwise";  // rotary positions
  // The first tokens of a window see a border, and cached keys stand before the new ones: arrays of their own.
  if (run_.cached == 0 && !span.sliding) {
    const std::string ranks = projected(d.list("HD"), d.list("BM"));
    out_.edge("k_proj", scores, "K", fmt::format("{}, {}", turned, ranks));
    out_.edge("v_proj", context, "V", ranks);
  }
  out_.edge("q_proj", scores, "Q", fmt::format("{}, {}", turned, projected(d.list("HGD"), d.list("BN"))));
  const std::string columns = d.list("BN");
  out_.edge(context, "attention", "B",
            fmt::format("ranks: {{{}: K{}}}", d.list("HGD"), columns == "[]" ? "" : fmt::format(", {}: N", columns)));
}

void BlockText::softmax(const Dimensions& d, std::string_view dimensions, std::string_view suffix) {
  const std::string scores = fmt::format("scores{}", suffix), context = fmt::format("context{}", suffix);
  const std::string ranks = fmt::format("ranks: {{{}}}", d.same(dimensions));
  if (!elementwise_) return out_.edge(scores, context, "S", fmt::format("through: softmax, {}", ranks));
  const std::string layer = fmt::format("softmax{}", suffix);
  out_.layer(layer, fmt::format("einsum: \"{} = {}\", sizes: {{{}}}, roles: {{S: input}}", d.operand("P", dimensions),
                                d.operand("S", dimensions), d.sizes_of(dimensions)));
  out_.edge(scores, layer, "S", ranks);
  out_.edge(layer, context, "S", fmt::format("through: softmax, {}", ranks));
}

// Latent attention (DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434, section 2.1). The cache holds a latent vector of each
// token, and the rotated part of its key. Absorbed, scores are taken in the latent space: the projections of keys and
// values move to the queries and to what the attention has gathered; else keys and values of all tokens are projected
// up again.

namespace {

// An operand that is kv_down's output without the rotated keys: a slice, whose ranks edges do not state.
std::string latent_part(const Latent& latent, const std::string& ranks) {
  return latent.rotated == 0 ? ranks : fmt::format("slice: {{rank: M, from: 0, words: {}}}", latent.keys);
}

// ", [B, N]: N" unless there is one token alone.
std::string from_tokens(const Dimensions& d) {
  const std::string columns = d.list("BN");
  return columns == "[]" ? "" : fmt::format(", {}: N", columns);
}

std::string to_tokens(const Dimensions& d) {
  const std::string columns = d.list("BN");
  return columns == "[]" ? "" : fmt::format(", N: {}", columns);
}

}  // namespace

void BlockText::latent_attention() {
  const Latent& latent = *config_.latent;
  const u64 queries = config_.heads * config_.head;
  out_.gemm("kv_down", latent.keys + latent.rotated, tokens_, config_.hidden, ", reads: {B: X}");
  if (latent.queries > 0) {
    out_.gemm("q_down", latent.queries, tokens_, config_.hidden);
    out_.gemm("q_proj", queries, tokens_, latent.queries);
    out_.edge("X", "q_down", "B", "ranks: {K: K, N: N}");
    out_.edge("q_down", "q_proj", "B", "through: norm, ranks: {M: K, N: N}");
  } else {
    out_.gemm("q_proj", queries, tokens_, config_.hidden);
    out_.edge("X", "q_proj", "B", "ranks: {K: K, N: N}");
  }
  const u64 words = run_.absorbed ? latent.keys + latent.rotated : config_.head;
  const char* heads = run_.absorbed ? "G" : "H";  // of one key in the latent space all heads are one group
  const Dimensions d({{"B", batch_}, {heads, config_.heads}, {"M", run_.context()}, {"N", run_.fresh}, {"D", words}},
                     "MD");
  if (run_.absorbed) in_latent_space(d);
  else out_of_latent_space(d);
  out_.gemm("attention", config_.hidden, tokens_, config_.heads * config_.value_head);
}

void BlockText::in_latent_space(const Dimensions& d) {
  const Latent& latent = *config_.latent;
  const Dimensions gathered(
      {{"B", batch_}, {"G", config_.heads}, {"M", run_.context()}, {"N", run_.fresh}, {"D", latent.keys}}, "MD");
  const bool no_cache = run_.cached == 0;
  out_.bmm("q_absorb", config_.heads, latent.keys, tokens_, latent.plain);
  out_.product("scores", d.operand("S", "BGMN"), d.operand("K", "BMD"), d.operand("Q", "BGDN"), d.sizes(), 'K');
  softmax(d, "BGMN", "");
  out_.product("context", d.operand("C", "BGDN"), d.operand("V", "BDM"), d.operand("S", "BGMN"), gathered.sizes(), 'V');
  out_.bmm("v_up", config_.heads, config_.value_head, tokens_, latent.keys);
  if (no_cache) {
    const std::string ranks = fmt::format("ranks: {{M: D, N: {}}}", d.list("BM"));
    out_.edge("kv_down", "scores", "K", fmt::format("through: elementwise, {}", ranks));
    out_.edge("kv_down", "context", "V", latent_part(latent, ranks));
  }
  if (latent.rotated == 0) {
    out_.edge("q_proj", "q_absorb", "B", "ranks: {M: [H, K], N: N}");
    out_.edge("q_absorb", "scores", "Q", fmt::format("ranks: {{H: G, M: D{}}}", to_tokens(d)));
  }
  out_.edge("context", "v_up", "B", fmt::format("ranks: {{G: H, D: K{}}}", from_tokens(d)));
  out_.edge("v_up", "attention", "B", "ranks: {[H, M]: K, N: N}");
}

void BlockText::out_of_latent_space(const Dimensions& d) {
  const Latent& latent = *config_.latent;
  const u64 all = batch_ * run_.context();
  const Dimensions gathered(
      {{"B", batch_}, {"H", config_.heads}, {"M", run_.context()}, {"N", run_.fresh}, {"D", config_.value_head}}, "MD");
  out_.gemm("k_up", config_.heads * latent.plain, all, latent.keys);
  out_.gemm("v_up", config_.heads * config_.value_head, all, latent.keys);
  out_.product("scores", d.operand("S", "BHMN"), d.operand("K", "BHMD"), d.operand("Q", "BHDN"), d.sizes(), 'K');
  softmax(d, "BHMN", "");
  out_.product("context", d.operand("C", "BHDN"), d.operand("V", "BHDM"), d.operand("S", "BHMN"), gathered.sizes(),
               'V');
  if (run_.cached == 0)
    for (const char* up : {"k_up", "v_up"})
      out_.edge("kv_down", up, "B", "through: norm, " + latent_part(latent, "ranks: {M: K, N: N}"));
  const std::string keys = fmt::format("ranks: {{M: {}, N: {}}}", d.list("HD"), d.list("BM"));
  if (latent.rotated == 0) out_.edge("k_up", "scores", "K", keys);
  out_.edge("v_up", "context", "V", keys);
  out_.edge("q_proj", "scores", "Q",
            fmt::format("through: elementwise, ranks: {{M: {}{}}}", d.list("HD"), to_tokens(d)));
  out_.edge("context", "attention", "B", fmt::format("ranks: {{{}: K{}}}", d.list("HD"), from_tokens(d)));
}

}  // namespace heliolite::language_model

// Latent attention (DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434, section 2.1). The cache holds a latent vector of each
// token, and the rotated part of its key. Absorbed, scores are taken in the latent space: the projections of keys and
// values move to the queries and to what the attention has gathered; else keys and values of all tokens are projected
// up again.
#include <fmt/format.h>

#include "engine/formats/language_model/blocks.h"

namespace heliolite::language_model {
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

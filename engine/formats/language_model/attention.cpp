// Attention with heads of keys that groups of queries share (Ainslie et al., "GQA", EMNLP 2023). Keys and values of
// earlier tokens are inputs, which are read with those of the new ones; the projections write the new ones.
#include <fmt/format.h>

#include <algorithm>

#include "engine/formats/language_model/blocks.h"

namespace heliolite::language_model {
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

}  // namespace heliolite::language_model

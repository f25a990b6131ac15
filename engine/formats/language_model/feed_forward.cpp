// Feed-forward parts: two layers, or three with a gate (Shazeer, "GLU Variants Improve Transformer", arXiv 2002.05202),
// and experts of which each token takes some.
#include <fmt/format.h>

#include "engine/formats/language_model/blocks.h"
#include "workloads/experts.h"

namespace heliolite::language_model {

struct BlockText::Names {
  std::string gate, up, down, multiply;
};

void BlockText::feed_forward(bool experts) {
  if (!experts) return dense({"gate", "up", "down", "multiply"}, config_.feed_forward);
  out_.gemm("router", config_.experts->count, tokens_, config_.hidden);
  read_by_feed_forward("router");
  if (config_.experts->shared_width > 0)
    dense({"shared_gate", "shared_up", "shared_down", "shared_multiply"}, config_.experts->shared_width);
  routed();
  if (elementwise_ && config_.experts->shared_width > 0)
    out_.layer("sum", fmt::format("einsum: \"Z[M,N] = A[M,N] * B[M,N]\", sizes: {{M: {}, N: {}}}, roles: {{A: input}}",
                                  config_.hidden, tokens_));
}

// The layer reads the normalised sum of the attention and of what the block reads, or the latter alone.
void BlockText::read_by_feed_forward(std::string_view to) {
  if (config_.parallel) return out_.edge("X", to, "B", "ranks: {K: K, N: N}");
  out_.edge("attention", to, "B", "through: norm, combine: add, ranks: {M: K, N: N}");
  out_.edge("X", to, "B", "through: norm, combine: add, ranks: {K: K, N: N}");
}

void BlockText::dense(const Names& names, u64 width) {
  if (config_.gated) out_.gemm(names.gate, width, tokens_, config_.hidden);
  out_.gemm(names.up, width, tokens_, config_.hidden);
  if (config_.gated) read_by_feed_forward(names.gate);
  read_by_feed_forward(names.up);
  out_.gemm(names.down, config_.hidden, tokens_, width);
  if (config_.gated) multiply(names, Dimensions({{"M", width}, {"N", tokens_}}, "MN"));
  else out_.edge(names.up, names.down, "B", "through: elementwise, ranks: {M: K, N: N}");
}

void BlockText::routed() {
  const std::vector<ExpertGroup> groups = spread_tokens(config_.experts->count, tokens_, config_.experts->per_token);
  for (const ExpertGroup& group : groups)
    experts(group.experts, group.tokens, &group == &groups.front() ? "" : "_more");
}

// `count` experts with their own weights, each for its own tokens, which are words gathered from those of the block.
void BlockText::experts(u64 count, u64 tokens_of_each, std::string_view suffix) {
  const u64 width = config_.experts->width;
  const Names names{fmt::format("expert_gate{}", suffix), fmt::format("expert_up{}", suffix),
                    fmt::format("expert_down{}", suffix), fmt::format("expert_multiply{}", suffix)};
  const std::string reads = config_.gated ? fmt::format(", reads: {{B: routed{}}}", suffix) : "";
  if (config_.gated) out_.bmm(names.gate, count, width, tokens_of_each, config_.hidden, reads);
  out_.bmm(names.up, count, width, tokens_of_each, config_.hidden, reads);
  out_.bmm(names.down, count, config_.hidden, tokens_of_each, width);
  if (config_.gated) multiply(names, Dimensions({{"H", count}, {"M", width}, {"N", tokens_of_each}}, "HMN"));
  else out_.edge(names.up, names.down, "B", "through: elementwise, ranks: {H: H, M: K, N: N}");
}

// The gate times what goes up: on the edges into the layer downwards, or as a layer before it.
void BlockText::multiply(const Names& names, const Dimensions& d) {
  constexpr std::string_view kAll = "HMN";
  const std::string down = d.list("H") == "H" ? "ranks: {H: H, M: K, N: N}" : "ranks: {M: K, N: N}";
  if (!elementwise_) {
    out_.edge(names.gate, names.down, "B", fmt::format("through: elementwise, combine: multiply, {}", down));
    return out_.edge(names.up, names.down, "B", fmt::format("combine: multiply, {}", down));
  }
  const std::string same = fmt::format("ranks: {{{}}}", d.same(kAll));
  out_.layer(names.multiply,
             fmt::format("einsum: \"{} = {} * {}\", sizes: {{{}}}, roles: {{G: input}}", d.operand("Z", kAll),
                         d.operand("G", kAll), d.operand("U", kAll), d.sizes_of(kAll)));
  out_.edge(names.gate, names.multiply, "G", fmt::format("through: elementwise, {}", same));
  out_.edge(names.up, names.multiply, "U", same);
  out_.edge(names.multiply, names.down, "B", down);
}

}  // namespace heliolite::language_model

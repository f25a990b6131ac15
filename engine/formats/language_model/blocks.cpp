#include "engine/formats/language_model/blocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/families.h"

namespace heliolite::language_model {

u64 Dimensions::size(char dimension) const {
  for (const auto& [name, size] : sizes_)
    if (name.front() == dimension) return size;
  return 1;
}

std::string Dimensions::operand(std::string_view tensor, std::string_view dimensions) const {
  std::vector<std::string> ranks;
  for (const char d : dimensions)
    if (there(d)) ranks.emplace_back(1, d);
  return fmt::format("{}[{}]", tensor, fmt::join(ranks, ","));
}

std::string Dimensions::list(std::string_view dimensions) const {
  std::vector<std::string> ranks;
  for (const char d : dimensions)
    if (there(d)) ranks.emplace_back(1, d);
  return ranks.size() == 1 ? ranks.front() : fmt::format("[{}]", fmt::join(ranks, ", "));
}

std::string Dimensions::same(std::string_view dimensions) const {
  std::vector<std::string> ranks;
  for (const char d : dimensions)
    if (there(d)) ranks.push_back(fmt::format("{0}: {0}", d));
  return fmt::format("{}", fmt::join(ranks, ", "));
}

std::string Dimensions::sizes_of(std::string_view dimensions) const {
  std::vector<std::string> all;
  for (const char d : dimensions)
    if (there(d)) all.push_back(fmt::format("{}: {}", d, size(d)));
  return fmt::format("{}", fmt::join(all, ", "));
}

void NetworkText::layer(std::string_view name, std::string_view shape) {
  layers_.push_back(fmt::format("- {{name: {}, {}}}", name, shape));
}

void NetworkText::gemm(std::string_view name, u64 m, u64 n, u64 k, std::string_view more) {
  layer(name, fmt::format("gemm: {{m: {}, n: {}, k: {}}}{}", m, n, k, more));
}

void NetworkText::bmm(std::string_view name, u64 h, u64 m, u64 n, u64 k, std::string_view more) {
  layer(name, fmt::format("bmm: {{h: {}, m: {}, n: {}, k: {}}}{}", h, m, n, k, more));
}

void NetworkText::product(std::string_view name, std::string_view z, std::string_view a, std::string_view b,
                          std::string_view sizes, char weight) {
  layer(name, fmt::format("einsum: \"{} += {} * {}\", sizes: {{{}}}, roles: {{{}: weight}}", z, a, b, sizes, weight));
}

void NetworkText::edge(std::string_view from, std::string_view to, std::string_view tensor, std::string_view more) {
  edges_.push_back(
      fmt::format("- {{from: {}, to: {}, tensor: {}{}{}}}", from, to, tensor, more.empty() ? "" : ", ", more));
}

std::string NetworkText::text(std::string_view indent) const {
  std::string all = fmt::format("{}layers:\n", indent);
  for (const std::string& layer : layers_) all += fmt::format("{}{}\n", indent, layer);
  if (edges_.empty()) return all;
  all += fmt::format("{}edges:\n", indent);
  for (const std::string& edge : edges_) all += fmt::format("{}{}\n", indent, edge);
  return all;
}

// Feed-forward parts: two layers, or three with a gate (Shazeer, "GLU Variants Improve Transformer", arXiv 2002.05202),
// and experts of which each token takes some.

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

// A selective state space (Gu and Dao, "Mamba", arXiv 2312.00752, section 3.4 and algorithm 2). Of each channel E and
// each word S of its state: decay = exp(A * step), state = decay * (the state before), drive = step * input * B, and
// the output is (state + drive) * C, summed over S. As layers on their own the states of all tokens T are arrays; fused
// layers need those of one token at a time.

void BlockText::state_space() {
  const StateSpace& s = *config_.state_space;
  const std::string sizes = fmt::format("sizes: {{E: {}, S: {}, T: {}}}", s.inner, s.state, tokens_);
  const Dimensions conv({{"B", batch_}, {"E", s.inner}, {"T", run_.fresh}, {"R", s.kernel}}, "ETR");
  std::string image = conv.operand("X", "BET");
  image.replace(image.find('T'), 1, "T+R");
  out_.gemm("in_proj", 2 * s.inner, tokens_, config_.hidden);
  out_.product("conv", conv.operand("Y", "BET"), conv.operand("W", "ER"), image, conv.sizes_of("BETR"), 'W');
  out_.gemm("x_proj", s.rank + 2 * s.state, tokens_, s.inner);
  out_.gemm("dt_proj", s.inner, tokens_, s.rank);
  out_.layer("decay", fmt::format("einsum: \"D[E,S,T] = A[E,S] * P[E,T]\", {}, roles: {{A: weight}}", sizes));
  out_.layer("state", fmt::format("einsum: \"H[E,S,T] = D[E,S,T] * P[E,S,T]\", {}, roles: {{D: input}}", sizes));
  out_.layer("drive", fmt::format("einsum: \"U[E,S,T] = X[E,T] * B[S,T]\", {}, roles: {{X: input}}", sizes));
  out_.layer("readout", fmt::format("einsum: \"Y[E,T] += H[E,S,T] * C[S,T]\", {}, roles: {{H: input}}", sizes));
  out_.gemm("out_proj", config_.hidden, tokens_, s.inner);

  const auto part = [](u64 from, u64 words) {
    return fmt::format("slice: {{rank: M, from: {}, words: {}}}", from, words);
  };
  const std::string channels = fmt::format("ranks: {{{}: E, {}: T}}", conv.list("E"), conv.list("BT"));
  out_.edge("conv", "x_proj", "B", fmt::format("through: elementwise, ranks: {{E: K, {}: N}}", conv.list("BT")));
  out_.edge("x_proj", "dt_proj", "B", part(0, s.rank));
  out_.edge("dt_proj", "decay", "P", "through: elementwise, ranks: {M: E, N: T}");
  out_.edge("decay", "state", "D", "through: elementwise, ranks: {E: E, S: S, T: T}");
  out_.edge("conv", "drive", "X", fmt::format("through: elementwise, combine: multiply, {}", channels));
  out_.edge("dt_proj", "drive", "X", "through: elementwise, combine: multiply, ranks: {M: E, N: T}");
  out_.edge("x_proj", "drive", "B", part(s.rank, s.state));
  out_.edge("state", "readout", "H", "combine: add, ranks: {E: E, S: S, T: T}");
  out_.edge("drive", "readout", "H", "combine: add, ranks: {E: E, S: S, T: T}");
  out_.edge("x_proj", "readout", "C", part(s.rank + s.state, s.state));
  out_.edge("readout", "out_proj", "B", "through: elementwise, combine: multiply, ranks: {E: K, T: N}");
  out_.edge("in_proj", "out_proj", "B",
            fmt::format("through: elementwise, combine: multiply, {}", part(s.inner, s.inner)));
}

// Mamba-2 (Dao and Gu, arXiv 2405.21060, section 7.1): one projection makes the gate, the channels, B, C and the step
// of each head; channels, B and C pass the convolution. Of each head all P channels decay alike, and G groups of K
// heads read the same B and C. Counted as the recurrence, which is also what a token that is decoded takes; the
// products of chunks of tokens by which kernels run a prompt are other Einsums of the same result.
void BlockText::dual_state_space() {
  const StateSpace& s = *config_.state_space;
  const u64 channels = s.inner + 2 * s.groups * s.state;
  const Dimensions conv({{"B", batch_}, {"E", channels}, {"T", run_.fresh}, {"R", s.kernel}}, "ETR");
  const Dimensions d(
      {{"G", s.groups}, {"K", s.heads / s.groups}, {"P", s.inner / s.heads}, {"S", s.state}, {"T", tokens_}}, "PST");
  std::string image = conv.operand("X", "BET");
  image.replace(image.find('T'), 1, "T+R");
  const std::string sizes = fmt::format("sizes: {{{}}}", d.sizes_of("GKPST"));
  out_.gemm("in_proj", s.inner + channels + s.heads, tokens_, config_.hidden);
  out_.product("conv", conv.operand("Y", "BET"), conv.operand("W", "ER"), image, conv.sizes_of("BETR"), 'W');
  const auto pointwise = [&](const char* name, const std::string& z, const std::string& a, const std::string& b,
                             const char* to, char input) {
    out_.layer(name, fmt::format("einsum: \"{} {} {} * {}\", {}, roles: {{{}: input}}", z, to, a, b, sizes, input));
  };
  pointwise("state", d.operand("H", "GKPST"), d.operand("D", "GKT"), d.operand("P", "GKPST"), "=", 'D');
  pointwise("drive", d.operand("U", "GKPST"), d.operand("X", "GKPT"), d.operand("B", "GST"), "=", 'X');
  pointwise("readout", d.operand("Y", "GKPT"), d.operand("H", "GKPST"), d.operand("C", "GST"), "+=", 'H');
  out_.gemm("out_proj", config_.hidden, tokens_, s.inner);

  const auto part = [](const char* rank, u64 from, u64 words) {
    return fmt::format("slice: {{rank: {}, from: {}, words: {}}}", rank, from, words);
  };
  const std::string same = fmt::format("ranks: {{{}}}", d.same("GKPST"));
  out_.edge("in_proj", "conv", "X", "through: elementwise, " + part("M", s.inner, channels));
  out_.edge("in_proj", "state", "D", "through: elementwise, " + part("M", s.inner + channels, s.heads));
  out_.edge("conv", "drive", "X", "through: elementwise, " + part("E", 0, s.inner));
  out_.edge("conv", "drive", "B", "through: elementwise, " + part("E", s.inner, s.groups * s.state));
  out_.edge("state", "readout", "H", "combine: add, " + same);
  out_.edge("drive", "readout", "H", "combine: add, " + same);
  out_.edge("conv", "readout", "C",
            "through: elementwise, " + part("E", s.inner + s.groups * s.state, s.groups * s.state));
  out_.edge("readout", "out_proj", "B",
            fmt::format("through: elementwise, combine: multiply, ranks: {{{}: K, T: N}}", d.list("GKP")));
  out_.edge("in_proj", "out_proj", "B", "through: elementwise, combine: multiply, " + part("M", 0, s.inner));
}

}  // namespace heliolite::language_model

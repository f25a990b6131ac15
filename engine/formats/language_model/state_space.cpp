// A selective state space (Gu and Dao, "Mamba", arXiv 2312.00752, section 3.4 and algorithm 2). Of each channel E and
// each word S of its state: decay = exp(A * step), state = decay * (the state before), drive = step * input * B, and
// the output is (state + drive) * C, summed over S. As layers on their own the states of all tokens T are arrays; fused
// layers need those of one token at a time.
#include <fmt/format.h>

#include "engine/formats/language_model/blocks.h"

namespace heliolite::language_model {

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

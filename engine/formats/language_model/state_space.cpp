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

}  // namespace heliolite::language_model

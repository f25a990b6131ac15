#pragma once
// The parts of a language model's block as layers and edges: attention, the feed-forward part, a state space.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/types.h"
#include "engine/formats/language_model/config.h"
#include "engine/formats/language_model/import.h"

namespace heliolite::language_model {

// A dimension of an Einsum with its size.
using Sized = std::pair<std::string_view, u64>;

// The dimensions of one operand; those of which there is one alone are left out, unless `kept` names them.
class Dimensions {
 public:
  Dimensions(std::vector<Sized> sizes, std::string_view kept) : sizes_(std::move(sizes)), kept_(kept) {}

  std::string operand(std::string_view tensor, std::string_view dimensions) const;  // "K[H,M,D]" of "K", "BHMD"
  std::string list(std::string_view dimensions) const;                              // "[H, D]", or "D" of one alone
  std::string same(std::string_view dimensions) const;                              // "H: H, M: M"
  std::string sizes() const { return sizes_of("BHGMND"); }                          // "H: 8, M: 2048"
  std::string sizes_of(std::string_view dimensions) const;

 private:
  u64 size(char dimension) const;
  bool there(char dimension) const { return size(dimension) > 1 || kept_.find(dimension) != std::string_view::npos; }

  std::vector<Sized> sizes_;
  std::string_view kept_;
};

class NetworkText {
 public:
  // A layer; `shape` is the rest of its entry, as "gemm: {m: 8, n: 8, k: 8}".
  void layer(std::string_view name, std::string_view shape);
  void gemm(std::string_view name, u64 m, u64 n, u64 k, std::string_view more = "");
  void bmm(std::string_view name, u64 h, u64 m, u64 n, u64 k, std::string_view more = "");
  // A layer of its Einsum, "z += a * b" of these operands; `weight`: the tensor that stands still.
  void product(std::string_view name, std::string_view z, std::string_view a, std::string_view b,
               std::string_view sizes, char weight);
  void edge(std::string_view from, std::string_view to, std::string_view tensor, std::string_view more);

  // The lists of a network or a block, each line behind `indent`.
  std::string text(std::string_view indent) const;
  bool empty() const { return layers_.empty(); }

 private:
  std::vector<std::string> layers_, edges_;
};

// The parts of a block as layers: attention, the feed-forward part, a state space. Z[M,N] += A[M,K]*B[K,N]: A holds the
// weights, the columns of B and Z are the tokens, those of all sequences one after the other. X is the block's input.

// A part of the attention whose tokens look equally far: `count` groups of `fresh` tokens, each group at `context`.
struct TokenSpan {
  u64 count = 1;
  u64 context = 1, fresh = 1;
  bool sliding = false;  // each token at the `context` tokens up to itself, else all at the same ones
};

// The spans of one sequence. Tokens before those that are asked for lie in the cache.
std::vector<TokenSpan> spans(LookBack reach, u64 window, const Run& run);

// One block of a run, to which its parts add their layers.
class BlockText {
 public:
  BlockText(const Config& config, const Request& request, const Run& run, NetworkText& out)
      : config_(config),
        run_(run),
        out_(out),
        elementwise_(request.elementwise),
        batch_(request.batch),
        tokens_(request.batch * run.fresh) {}

  void attention(LookBack reach);
  void latent_attention();
  void feed_forward(bool experts);
  void state_space();
  void dual_state_space();

 private:
  struct Names;  // of the layers of one feed-forward part

  // attention.cpp
  void span(const TokenSpan& span, std::string_view suffix, bool alone);
  void softmax(const Dimensions& d, std::string_view dimensions, std::string_view suffix);
  // attention.cpp: latent
  void in_latent_space(const Dimensions& d);
  void out_of_latent_space(const Dimensions& d);
  // blocks.cpp
  void dense(const Names& names, u64 width);
  void routed();
  void experts(u64 count, u64 tokens_of_each, std::string_view suffix);
  void read_by_feed_forward(std::string_view to);
  void multiply(const Names& names, const Dimensions& d);

  const Config& config_;
  const Run& run_;
  NetworkText& out_;
  bool elementwise_ = false;
  u64 batch_ = 1;
  u64 tokens_ = 1;  // of all sequences
};

}  // namespace heliolite::language_model

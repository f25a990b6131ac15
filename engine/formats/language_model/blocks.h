#pragma once
// The parts of a block as layers: attention, the feed-forward part, a state space. Z[M,N] += A[M,K]*B[K,N]: A holds the
// weights, the columns of B and Z are the tokens, those of all sequences one after the other. X is the block's input.
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/language_model/config.h"
#include "engine/formats/language_model/network_text.h"
#include "engine/formats/language_model/request.h"

namespace heliolite::language_model {

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
  // latent_attention.cpp
  void in_latent_space(const Dimensions& d);
  void out_of_latent_space(const Dimensions& d);
  // feed_forward.cpp
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

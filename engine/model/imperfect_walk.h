#pragma once
// The walk of a nest with imperfect factors for one tensor and one tile, exact for every tensor
// (docs/cost_model.md, rules 6 and 7). Equal states are walked once: what a loop moves depends only on which dimensions
// are in their last context, the remembered stride, and where the previous tile was. About 30 states are typical, a few
// thousand the worst seen.
#include <span>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/model/imperfect_nest.h"

namespace heliolite {

// Walks nests; one object can be used for many.
class ImperfectWalk {
 public:
  // Adds to words[c] the words of tensor t that are new to the tile inside `level` at the steps where the fan-out below
  // the level is in context c (FanoutContexts), over all steps of the first instance. Reuses its storage.
  void run(const CompiledTensor& t, const ImperfectNest& nest, int level, std::span<u64> words);

  // How many different states the last run walked.
  std::size_t states() const { return state_count_; }

 private:
  using RankValues = std::array<i64, kMaxRanks>;

  // The previous tile, relative to the origin of the current one; ranks that never move are left out.
  struct State {
    RankValues low{}, extent{}, stride{};
    bool visited = false, has_stride = false;

    bool operator==(const State&) const = default;
  };
  struct Entry {
    State before, after;
    std::size_t words;  // first of contexts() values in words_
    u64 hash;
    DimensionMask last;
    u8 loop;
  };
  struct Tile {
    RankValues extent;
    u64 rest;  // words over the ranks left out
  };

  void prepare();
  void visit(int l, DimensionMask last, State& state, u64 weight, u64* out);
  void iterate(int l, DimensionMask last, State& state, u64* out);
  void shift(State& state, const ImperfectLoop& loop, i64 iterations) const;
  u64 fresh_words(DimensionMask last, State& state) const;
  Tile tile(DimensionMask last) const;
  u64 hash(int l, DimensionMask last, const State& state) const;
  Entry* find(int l, DimensionMask last, const State& state, u64 hash);
  void remember(Entry entry, const u64* own);
  void grow();

  const CompiledTensor* tensor_ = nullptr;
  const ImperfectNest* nest_ = nullptr;
  int level_ = 0, from_ = 0;  // from_: the level's first temporal loop
  std::size_t contexts_ = 1;
  int rank_count_ = 0;                               // ranks that move
  std::array<u8, kMaxRanks> rank_{};                 // position among those
  DimensionMask cut_ = 0;                            // dimensions that the level's spatial loops keep in the middle
  std::array<DimensionMask, kMaxLoops> relevant_{};  // dimensions whose context matters inside each loop

  std::vector<u64> sums_;  // contexts_ per loop: words of the execution being walked
  std::vector<Entry> entries_;
  std::vector<u64> words_;
  std::vector<u32> slots_;  // open addressing: 1 + index of the entry, 0 = free
  std::size_t state_count_ = 0;
};

// Closed forms of the same words: products over dimensions, as every dimension counts its middle and last contexts by
// itself (imperfect_product.cpp).

// Writes into words[c] the words of tensor t that are new to the tile inside `level` at the steps where the fan-out
// below the level is in context c (FanoutContexts), summed over all steps of the first instance. Returns false, and
// leaves `words` as it is, when no closed form is known. There is one
//  - without overlapping tiles: every move fetches the whole tile;
//  - with sliding ranks, when none of their dimensions has a residual and every loop of a dimension of t moves.
bool product_words(const CompiledTensor& t, const ImperfectNest& nest, int level, std::span<u64> words);

// product_words() for what the compute units ask for: a word of any tensor at each step (docs/cost_model.md, rule 8).
void product_steps(const ImperfectNest& nest, std::span<u64> steps);

}  // namespace heliolite

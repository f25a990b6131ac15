#pragma once
// The words that cross into a tile, summed over all steps (docs/cost_model.md, rules 35 to 38).
#include <array>
#include <span>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {

// Words that units fetch, and how many are left when those that units of one fan-out fetch together count once.
struct FetchedWords {
  u64 all, shared;
};

// A part of a tensor's traffic: words over the dimensions that index the tensor, as often as the other dimensions have
// tiles (other_tiles).
struct FetchTerm {
  FetchedWords words;
  LoopMask frozen;    // loops of the other dimensions of which only the first sub-tile counts
  LoopMask advanced;  // one of them, or none: here the first sub-tile does not count
};

// The traffic at one boundary. Without initialisers: `count` terms are written.
struct Fetches {
  std::array<FetchTerm, kMaxLoops + 1> term;
  int count;

  void add(FetchedWords words, LoopMask frozen, LoopMask advanced = 0) {
    if (words.all != 0) term[count++] = {words, frozen, advanced};
  }
};

// Traffic of tensor t into the tile inside the loops of levels >= `boundary`, of the instances in `unit`. Boundary 0:
// the words that the compute units ask for at their steps. Shared are words among the units of that level's fan-out
// whose tiles lie apart along the tensor's own dimensions.
void count_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                   const UnitDigits& unit, Fetches& out);

// Tiles of the dimensions that do not index t, for a term at a boundary with the loops `outside`. `shared`: spatial
// loops whose units take their words together.
inline u64 other_tiles(const CompiledTensor& t, const TrueNest& nest, LoopMask outside, const FetchTerm& term,
                       LoopMask shared, const UnitDigits& unit) {
  u64 n = 1;
  for (int d = 0; d < nest.dimension_count; ++d) {
    if (contains(t.indexing, d) || nest.of[d] == 0) continue;
    n *= nest.cells(d, outside, term.frozen | shared, term.advanced, unit).count();
  }
  return n;
}

// All words of these fetches; with loops in `shared` those count once that units share which differ in these only.
inline u64 words_of(const CompiledTensor& t, const TrueNest& nest, int boundary, const Fetches& fetches,
                    LoopMask shared, const UnitDigits& unit) {
  const LoopMask outside = nest.outside(boundary);
  u64 words = 0;
  for (int k = 0; k < fetches.count; ++k) {
    const FetchTerm& term = fetches.term[k];
    words += (shared == 0 ? term.words.all : term.words.shared) * other_tiles(t, nest, outside, term, shared, unit);
  }
  return words;
}

// The traffic of a tensor with sliding ranks as terms, one for each loop whose steps fetch words.

// Adds a term for each loop at whose steps words move; words(step) says how many (FetchedWords), over the
// tensor's dimensions.
template <class Words>
void add_fetch_terms(const CompiledTensor& t, const TrueNest& nest, int boundary, Words&& words, Fetches& out) {
  LoopMask moving = 0;
  for (const int d : bits(t.indexing)) moving |= nest.of[d];
  const LoopMask time = nest.outside(boundary) & nest.temporal();
  out.add(words(StepKind{StepKind::First, 0}), time);
  if ((moving & time) == 0) return;
  FetchedWords again{};  // by a step that starts the loops inside again
  bool known = false;
  for (const int l : bits(time & ~loops_before(std::countr_zero(moving & time)))) {
    if (contains(moving, l)) {
      known = false;
      out.add(words(StepKind{StepKind::Loop, l}), time & loops_before(l));
      continue;
    }
    if (!known) again = words(StepKind{StepKind::Loop, l});
    known = true;
    out.add(again, time & loops_before(l), LoopMask{1} << l);
  }
}

// The traffic of tensors with sliding ranks (docs/cost_model.md, rules 35, 37 and 38): no product over dimensions, but
// a sum over few kinds of steps. Of each dimension the tiles that a step brings are alike, but for those at its end.

// Words of a step as products over groups of dimensions (docs/cost_model.md, rule 37). A box is the product of its
// extents in groups of dimensions that share ranks, and so is what stays of it; whether anything may stay depends on
// the groups only through the innermost loop that moved each, and on whether its part has come back or moves on. So
// each group is summed over its own kinds of tiles, and the sums are multiplied.

// Sums over the kinds of tiles of one group, weighted by how often they occur. Without initialisers: cleared before
// use.
struct GroupSums {
  // Words that stay of tiles that loop `mover` had moved: if the tile is back, and if it goes on as the loop went.
  struct Moved {
    u8 mover;
    u64 back, on;
  };
  u64 full;    // all words
  u64 rested;  // words that stay of tiles that no loop had moved
  u64 back;    // the part of `rested` of tiles that do not move at all
  std::array<Moved, kMaxLoops> moved;
  int count;

  void clear() { full = rested = back = 0, count = 0; }

  void add(u64 weight, u64 words, u64 stays, u8 mover, bool is_back, bool goes_on) {
    full += weight * words;
    if (mover == kNoLoop) {
      rested += weight * stays;
      if (is_back) back += weight * stays;
      return;
    }
    if (stays == 0 || (!is_back && !goes_on)) return;
    int k = 0;
    while (k < count && moved[k].mover != mover) ++k;
    if (k == count) moved[count++] = {mover, 0, 0};
    (is_back ? moved[k].back : moved[k].on) += weight * stays;
  }

  // Words that stay of tiles that are back and that no loop further in than `inner` had moved; -1: any loop.
  u64 back_beyond(int inner) const {
    u64 words = back;
    for (int k = 0; k < count; ++k)
      if (moved[k].mover > inner) words += moved[k].back;
    return words;
  }
};

// Words that a step fetches, from those of all groups (rule 35).
inline u64 fetched_words(std::span<const GroupSums* const> groups, bool first) {
  u64 full = 1, rested = 1, back = 1, still = 1;
  for (const GroupSums* g : groups) {
    full *= g->full;
    rested *= g->rested;
    back *= g->back_beyond(-1);
    still *= g->back;
  }
  if (first || full == 0) return full;
  u64 stays = rested + back - still;
  for (const GroupSums* g : groups)
    for (int k = 0; k < g->count; ++k) {
      u64 words = g->moved[k].on;
      for (const GroupSums* other : groups)
        if (words != 0 && other != g) words *= other->back_beyond(g->moved[k].mover);
      stays += words;
    }
  return full - stays;
}

// As count_fetches.
void sliding_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                     const UnitDigits& unit, Fetches& out);

// Whether units of one of the fan-outs low .. high can ask for the same words without standing at the same tiles: two
// dimensions of a sliding rank are spread over it.
bool units_meet(const CompiledTensor& t, const TrueNest& nest, int low, int high);

}  // namespace heliolite

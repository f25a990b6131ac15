#pragma once
// The traffic of tensors with sliding ranks (docs/cost_model.md, rules 35, 37 and 38): no product over dimensions, but
// a sum over few kinds of steps. Of each dimension the tiles that a step brings are alike, but for those at its end.
#include <array>
#include <span>

#include "engine/model/true_counts/fetches.h"

namespace heliolite {

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

#pragma once
// Moves of a tile along its ranks, and what a loop that moves it again finds still in place (docs/cost_model.md, the
// rules of halos): nothing new when the net move is zero, the new part when it repeats the first move, else the whole
// tile.
#include <array>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"

namespace heliolite {

// Words along each rank.
using RankMove = std::array<i64, kMaxRanks>;

// Adds to `move` by how many words `steps` iterations of the MACs along dimension d move the tile.
inline void add_move(const CompiledTensor& t, std::size_t d, i64 steps, RankMove& move) {
  for (int k = t.first_of[d]; k < t.first_of[d + 1]; ++k) {
    const CompiledTerm& term = t.by_dimension[at(k)];
    move[term.rank] += static_cast<i64>(term.coefficient) * steps;
  }
}

// What a step of a loop outside does with the tile that the loops inside have moved.
struct NetMove {
  bool stays = true;    // it is back where the loops inside began
  bool repeats = true;  // it goes on as the first moving loop went
};

// A loop moves by `own` when the loops inside have moved by `inner` in sum and the first of them by `first`; `inner`
// becomes the sum with it.
inline NetMove net_move(int rank_count, const RankMove& own, const RankMove& first, RankMove& inner) {
  NetMove out;
  for (std::size_t r = 0; r < at(rank_count); ++r) {
    const i64 net = own[r] - inner[r];
    out.stays &= net == 0;
    out.repeats &= net == first[r];
    inner[r] += own[r];
  }
  return out;
}

}  // namespace heliolite

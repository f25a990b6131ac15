// Words that an execution of a tiling brings into a buffer, from what every tile has in common with the one before it.
// Proof: docs/rules/orojenesis.md.
#include <algorithm>
#include <functional>
#include <vector>

#include "engine/base/integers.h"
#include "engine/bounds/curve/orojenesis_tensor.h"

namespace heliolite {

// The loops that slide the tile along one rank, and what is the same for all its tiles.
struct TensorShape::Run {
  const ShapeRank* rank = nullptr;
  std::span<const u8> loops;        // of the rank, or of no rank of the tensor; innermost first
  Extents tile{}, last{}, count{};  // size of all tiles but the last one of a dimension, of the last one, and how many

  bool slides(std::size_t k) const { return contains(rank->dimensions, loops[k]); }
};

namespace {

u64 less(u64 a, u64 b) { return a > b ? a - b : 0; }

// Positions that [ahead, ahead + length) and [0, other) have in common.
u64 in_common(i64 ahead, u64 length, u64 other) {
  const i64 first = std::max<i64>(ahead, 0), end = std::min(ahead + static_cast<i64>(length), static_cast<i64>(other));
  return end > first ? static_cast<u64>(end - first) : 0;
}

}  // namespace

// Along the rank, during the first `loops` loops of the run, from an empty buffer. `tile`: sizes along the dimensions
// of the rank that do not loop here. A round that begins where the last one ended saves at most the box that its first
// tile has in common with the last tile before it.
u64 TensorShape::run_words(const Run& run, std::size_t loops, const Extents& tile) const {
  const ShapeRank& rank = *run.rank;
  if (loops == 0) return distinct_in(rank, tile);
  const std::size_t k = loops - 1;
  const u8 j = run.loops[k];
  Extents first = tile, last = tile, whole = tile;
  i64 ahead = 0;  // how far the last tile inside is from the first one
  for (const auto& [d, coefficient] : rank.terms) {
    for (std::size_t i = 0; i < k; ++i) {
      if (run.loops[i] != d) continue;
      first[d] = run.tile[d];
      last[d] = run.last[d];
      whole[d] = size_[d];
      ahead += static_cast<i64>(coefficient * (run.count[d] - 1) * run.tile[d]);
    }
  }
  const u64 count = run.count[j];
  if (!run.slides(k)) {
    const u64 shared = in_common(ahead, box_in(rank, last), box_in(rank, first));
    return std::max(less(count * run_words(run, k, tile), (count - 1) * shared), distinct_in(rank, whole));
  }
  for (const auto& [d, coefficient] : rank.terms)
    if (d == j) ahead -= static_cast<i64>(coefficient * run.tile[d]);
  Extents full = tile, end = tile;
  full[j] = first[j] = last[j] = run.tile[j];
  end[j] = run.last[j];
  whole[j] = size_[j];
  const u64 between_full = in_common(ahead, box_in(rank, last), box_in(rank, first));
  first[j] = run.last[j];
  const u64 before_end = in_common(ahead, box_in(rank, last), box_in(rank, first));
  const u64 words = (count - 1) * run_words(run, k, full) + run_words(run, k, end);
  return std::max(less(words, (count - 2) * between_full + before_end), distinct_in(rank, whole));
}

// Sum over all tiles along the dimensions `looped` of the rank: of the run's words, or of the tiles' own.
u64 TensorShape::over_tiles(const ShapeRank& rank, DimensionMask looped, const Run& run, const Extents& tile) const {
  for (const Term& term : rank.terms) {
    const int d = term.dimension;
    if (!contains(looped, d)) continue;
    const auto rest = static_cast<DimensionMask>(looped & ~dimension_bit(d));
    Extents last = tile;
    last[d] = run.last[d];
    return (run.count[d] - 1) * over_tiles(rank, rest, run, tile) + over_tiles(rank, rest, run, last);
  }
  return &rank == run.rank ? run_words(run, run.loops.size(), tile) : distinct_in(rank, tile);
}

// Words that a tile may find when late loop `j` has stepped: along each rank, what the box has in common with itself
// moved as far as the loops that are surely inside have taken it. `turn` is the innermost late loop of another rank.
u64 TensorShape::shared_at_most(const Run& run, DimensionMask late, u8 j, std::optional<u8> turn) const {
  u64 words = 1;
  for (const ShapeRank& rank : ranks_) {
    u64 inside = 0, step = 0;
    bool known = true;  // no other loop of the rank may be inside or not
    for (const auto& [d, coefficient] : rank.terms) {
      const u64 tile = coefficient * run.tile[d];
      const bool in_run = &rank == run.rank && std::ranges::find(run.loops, d) != run.loops.end();
      if (d == j) {
        step = tile;
      } else if (in_run || (turn == d && turn != j)) {
        inside += tile * (run.count[d] - 1);
      } else if (contains(late, d)) {
        known = false;
      }
    }
    // Loops inside take the tile back to where they began; a step of the rank's own loop may just undo that.
    u64 moved = inside;
    if (step > 0) moved = !known && turn != j ? 0 : step > inside ? step - inside : inside - step;
    words *= less(box_in(rank, run.tile), moved);
  }
  return words;
}

// Among the late loops the turn comes first; the others save the most where those that share more are further in.
u64 TensorShape::saved_at_most(const Run& run, DimensionMask late, std::optional<u8> turn) const {
  struct Loop {
    u64 shared, count;
  };
  std::vector<Loop> loops;
  for (u8 d = 0; d < kMaxDimensions; ++d)
    if (contains(late, d) && turn != d) loops.push_back({shared_at_most(run, late, d, turn), run.count[d]});
  std::ranges::stable_sort(loops, std::greater{}, &Loop::shared);
  if (turn) loops.insert(loops.begin(), {shared_at_most(run, late, *turn, turn), run.count[*turn]});
  u64 saved = 0;
  for (const Loop& loop : loops) saved = saved * loop.count + (loop.count - 1) * loop.shared;
  return saved;
}

u64 TensorShape::executed_words(const Extents& tile, std::span<const u8> loops, DimensionMask late) const {
  if (counts_once() || loops.empty()) return distinct_words(size_);
  Run run;
  run.tile = tile;
  for (std::size_t d = 0; d < kMaxDimensions; ++d) {
    run.count[d] = (size_[d] - 1) / tile[d] + 1;
    run.last[d] = size_[d] - (run.count[d] - 1) * tile[d];
  }
  for (const ShapeRank& rank : ranks_)
    if (contains(rank.dimensions, loops.front())) run.rank = &rank;
  run.loops = loops;
  std::optional<u8> turn;  // a loop of another rank ends the run
  if (contains(indexing_, loops.back()) && !contains(run.rank->dimensions, loops.back())) {
    turn = loops.back();
    run.loops = loops.first(loops.size() - 1);
    late |= dimension_bit(*turn);
  }
  u64 words = 1;
  for (u8 d = 0; d < kMaxDimensions; ++d)
    if (contains(late, d) && !contains(indexing_, d)) words *= run.count[d];
  for (const ShapeRank& rank : ranks_)
    words *= over_tiles(rank, static_cast<DimensionMask>(rank.dimensions & late), run, tile);
  return std::max(less(words, saved_at_most(run, late, turn)), distinct_words(size_));
}

}  // namespace heliolite

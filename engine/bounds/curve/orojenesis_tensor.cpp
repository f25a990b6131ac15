#include "engine/bounds/curve/orojenesis_tensor.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {
namespace {

// A rank over the tiles of its dimensions: sums over all combinations of full and last tiles.
class TiledRank {
 public:
  // `moving`: the dimension whose neighbouring tiles share words, or -1.
  TiledRank(std::span<const Term> terms, const Extents& tile, const Extents& size, int moving)
      : terms_(terms), tile_(tile), size_(size), moving_(moving) {}

  u64 words() const { return from(0, 1, 1); }

 private:
  // Words of the ranges of terms k and later; `extent` is the range of the terms before, `times` their combinations.
  u64 from(std::size_t k, u64 extent, u64 times) const {
    if (k == terms_.size()) return times * along_moving(extent);
    const auto [d, coefficient] = terms_[k];
    if (d == moving_) return from(k + 1, extent, times);
    const u64 tile = tile_[d], full = (size_[d] - 1) / tile, last = size_[d] - full * tile;
    u64 sum = from(k + 1, extent + coefficient * (last - 1), times);
    if (full > 0) sum += from(k + 1, extent + coefficient * (tile - 1), times * full);
    return sum;
  }

  // All tiles of the moving dimension, shared words once.
  u64 along_moving(u64 extent) const {
    for (const auto& [d, coefficient] : terms_) {
      if (d != moving_) continue;
      const u64 count = (size_[d] - 1) / tile_[d] + 1;
      const u64 shared = extent > coefficient ? extent - coefficient : 0;
      return count * extent + coefficient * (size_[d] - count) - (count - 1) * shared;
    }
    return extent;
  }

  std::span<const Term> terms_;
  const Extents& tile_;
  const Extents& size_;
  int moving_;
};

}  // namespace

TensorShape::TensorShape(const Workload& workload, int tensor, bool apart)
    : read_twice_(apart && workload.is_read_twice(tensor)) {
  size_.fill(1);
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d) size_[d] = static_cast<u32>(workload.dimensions[d].size);
  for (const Rank& rank : workload.tensors[tensor].ranks) {
    ShapeRank& out = ranks_.emplace_back();
    for (const Term& term : rank.terms) {
      if (size_[term.dimension] == 1) continue;
      out.terms.push_back(term);
      const auto bit = static_cast<DimensionMask>(1u << term.dimension);
      if ((indexing_ & bit) != 0) entangled_ = true;
      out.dimensions |= bit;
      indexing_ |= bit;
    }
    u64 unit = 0;
    for (const Term& term : out.terms) unit = std::gcd(unit, term.coefficient);
    for (Term& term : out.terms) term.coefficient /= apart ? unit : 1;
    std::ranges::stable_sort(out.terms, {}, &Term::coefficient);
    if (out.terms.size() > 1) sliding_.push_back(out.dimensions);
    plain_ = plain_ && (out.terms.empty() || (out.terms.size() == 1 && out.terms[0].coefficient == 1));
    if (out.terms.empty()) ranks_.pop_back();
    else out.whole = distinct_in(out, size_);
  }
  plain_ = plain_ && !entangled_;
  const auto alone = [](const ShapeRank& rank) { return rank.terms.size() == 1; };
  const auto first = std::stable_partition(ranks_.begin(), ranks_.end(), alone);
  several_ = static_cast<std::size_t>(first - ranks_.begin());
  for (auto rank = ranks_.begin(); rank != first; ++rank) {
    alone_ |= rank->dimensions;
    alone_words_ *= rank->whole;
  }
  for (int d = 0; d < kMaxDimensions; ++d)
    if (size_[d] > 1 && !contains(indexing_, d)) others_ |= dimension_bit(d);
}

bool TensorShape::slides_by_steps(int dimension) const {
  return std::ranges::any_of(ranks_, [&](const ShapeRank& rank) {
    return contains(rank.dimensions, dimension) && std::ranges::any_of(rank.terms, [&](const Term& term) {
             return term.dimension != dimension && term.coefficient > 1;
           });
  });
}

u64 TensorShape::box_words(const Extents& tile) const {
  u64 words = 1;
  for (const ShapeRank& rank : ranks_) words *= box_in(rank, tile);
  return words;
}

u64 TensorShape::box_in(const ShapeRank& rank, const Extents& tile) const {
  u64 extent = 1;
  for (const Term& term : rank.terms) extent += term.coefficient * (tile[term.dimension] - 1);
  return extent;
}

TensorShape::Move TensorShape::move_of(const Extents& tile, int dimension) const {
  Move move{};
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    for (const Term& term : ranks_[r].terms)
      if (term.dimension == dimension) move[r] += static_cast<i64>(term.coefficient * tile[dimension]);
  return move;
}

u64 TensorShape::model_words(const Extents& tile, std::span<const TileLoop> loops) const {
  std::size_t a = 0;
  while (a < loops.size() && !contains(indexing_, loops[a].dimension)) ++a;
  return a == loops.size() ? box_words(tile) : overlapping_words(tile, loops, a);
}

// loops[moving] is the innermost loop that moves the tile. The tile after a step of loop j lies D_j away from where it
// was: a step as long as those of loops[moving] brings in as many words, one of length 0 none, any other all.
u64 TensorShape::overlapping_words(const Extents& tile, std::span<const TileLoop> loops, std::size_t moving) const {
  const u64 all = box_words(tile);
  const Move step = move_of(tile, loops[moving].dimension);
  u64 kept = 1;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    i64 extent = 1;
    for (const Term& term : ranks_[r].terms) extent += static_cast<i64>(term.coefficient * (tile[term.dimension] - 1));
    kept *= static_cast<u64>(std::max<i64>(0, extent - step[r]));
  }
  u64 outside = 1;
  for (std::size_t j = moving; j < loops.size(); ++j) outside *= loops[j].count;
  u64 words = all;
  Move inside{};
  for (std::size_t j = moving; j < loops.size(); ++j) {
    outside /= loops[j].count;
    const Move move = move_of(tile, loops[j].dimension);
    Move distance{};
    for (std::size_t r = 0; r < ranks_.size(); ++r) distance[r] = move[r] - inside[r];
    const u64 fresh = distance == step ? all - kept : distance == Move{} ? 0 : all;
    words += (loops[j].count - 1) * outside * fresh;
    for (std::size_t r = 0; r < ranks_.size(); ++r) inside[r] += move[r];
  }
  return words;
}

u64 TensorShape::blocked_words(const Extents& tile, std::span<const TileLoop> loops) const {
  std::size_t a = 0;
  while (a < loops.size() && !contains(indexing_, loops[a].dimension)) ++a;
  u64 words = 1;
  for (std::size_t j = a; j < loops.size(); ++j)
    if (!contains(indexing_, loops[j].dimension)) words *= loops[j].count;
  const int moving = a < loops.size() ? loops[a].dimension : -1;
  for (const ShapeRank& rank : ranks_) words *= TiledRank(rank.terms, tile, size_, moving).words();
  return words;
}

u64 TensorShape::distinct_in_several(const ShapeRank& rank, const Extents& tile) {
  u64 most = 1, solid = 1;
  // By ascending coefficients: as long as no step leaves a gap, the positions are all of a range.
  for (const Term& term : rank.terms) {
    if (tile[term.dimension] > 1 && term.coefficient > solid) break;
    solid += term.coefficient * (tile[term.dimension] - 1);
    if (&term == &rank.terms.back()) return solid;
  }
  for (std::size_t k = 0; k < rank.terms.size(); ++k) {
    const Term& a = rank.terms[k];
    most = std::max<u64>(most, tile[a.dimension]);
    for (std::size_t j = 0; j < k; ++j) {
      const Term& b = rank.terms[j];
      most = std::max(most, distinct_sums(a.coefficient, tile[a.dimension], b.coefficient, tile[b.dimension]));
    }
  }
  return most;
}

u64 TensorShape::distinct_words(const Extents& tile) const {
  u64 words = 1;
  if (entangled_) {
    for (const ShapeRank& rank : ranks_) words = std::max(words, distinct_in(rank, tile));
    return words;
  }
  for (const int d : bits(alone_)) words *= tile[d];
  for (const ShapeRank& rank : several()) words *= distinct_in(rank, tile);
  return words;
}

u64 TensorShape::most_distinct_words(const Extents& tile) const {
  const auto few = [](const ShapeRank& rank) { return rank.terms.size() <= 2; };
  return entangled_ || !std::ranges::all_of(ranks_, few) ? box_words(tile) : distinct_words(tile);
}

// Positions of the rank that all tiles together use, those of several tiles as often. Sums of sets of n1, n2, ..
// integers are at least n1 + n2 + .. less their number but one, whatever the sizes of the tiles.
u64 TensorShape::covered_in(const ShapeRank& rank, const Extents& count, const Extents* tile) const {
  u64 tiles = 1;
  for (const Term& term : rank.terms) tiles *= count[term.dimension];
  if (tile != nullptr) return distinct_in_several(rank, *tile) * tiles;
  u64 positions = 0;
  for (const Term& term : rank.terms) positions += size_[term.dimension] * (tiles / count[term.dimension]);
  return positions - (rank.terms.size() - 1) * tiles;
}

// What the tile brings at least along the rank while loops take it away and back again: tiles that step by one loop
// bring what lies beyond the box of the last one, on the way out and on the way back; where several loops step, the
// whole way counts once. Never more than all positions.
u64 TensorShape::round_trip_words(const ShapeRank& rank, const Extents& count, const Extents* tile,
                                  DimensionMask open) const {
  u64 tiles = 1, way = 0, loops = 0, least = rank.whole;
  for (const Term& term : rank.terms) tiles *= count[term.dimension];
  const u64 here = tile != nullptr ? distinct_in(rank, *tile) : 0;
  const bool solid = tile != nullptr && (rank.dimensions & open) == 0 && here == box_in(rank, *tile);
  for (const auto& [d, coefficient] : rank.terms) {
    if (count[d] == 1 && !contains(open, d)) continue;
    ++loops;
    const u64 step = solid ? std::min<u64>(here, coefficient * (*tile)[d]) * count[d] : size_[d];
    least = std::min(least, tiles / count[d] * step);
    way += step;
  }
  return loops > 1 ? std::min(least, way) : least;
}

// Tiles cover each position of a rank once if it has one dimension, whatever their sizes.
u64 TensorShape::nested_words(const Extents& count, const Extents* tile, DimensionMask slides_in,
                              DimensionMask open) const {
  if (entangled_) return distinct_words(size_);
  u64 words = alone_words_;  // of all tiles
  for (const int d : bits(others_)) words *= count[d];
  const ShapeRank* slides = nullptr;
  for (const ShapeRank& rank : several()) {
    if ((rank.dimensions & slides_in) != 0) slides = &rank;
    else words *= covered_in(rank, count, tile);
  }
  if (slides == nullptr) return words;
  const u64 round = round_trip_words(*slides, count, tile, open);
  u64 other = 1;  // words of one tile along the other ranks, if those are chosen
  if (tile != nullptr && (open & indexing_) == 0) {
    for (const int d : bits(alone_)) other *= (*tile)[d];
    for (const ShapeRank& rank : several())
      if (&rank != slides) other *= distinct_in(rank, *tile);
  }
  return words * round + (slides->whole - round) * other;
}

// Words that an execution of a tiling brings into a buffer, from what every tile has in common with the one before it.
// Proof: docs/rules/orojenesis.md.

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
      if (d == j) step = tile;
      else if (in_run || (turn == d && turn != j)) inside += tile * (run.count[d] - 1);
      else if (contains(late, d)) known = false;
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

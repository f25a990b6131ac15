// Flows of tensors with sliding ranks (docs/rules/any_factors.md, item 4).
#include <algorithm>

#include "engine/search/any/open_flow.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {

// Units that stand in different places may ask for the same tile of a sliding tensor together.
void OpenFlow::share_tiles() {
  const u64 together = meeting(), least = flow_->touched;
  for (int k = 0; k < parts_; ++k) {
    FlowTraffic& words = part_[at(k)].words;
    const u64 different = std::min(least, words.fetched);
    if (meets_later_) words.shared = different;
    else if (together != 1) words.shared = std::max(different, (words.fetched - 1) / together + 1);
  }
}

// A tile that each context moves is fetched anew whenever a loop outside goes on; where the last one alone does not,
// what only it touches stays (docs/rules/any_factors.md).
void OpenFlow::move_sliding(const TrailLoop& loop) {
  const u8 d = loop.dimension;
  const u64 before = open_.words.fetched;
  u64 after = loop.last > 1 ? 0 : before;
  if (!contains(looped_, d)) {
    const u64 around = units_[d], group = around * loop.end, tiles = base_tiles_[d];
    const u64 rest = tiles - (tiles - 1) / group * group;
    after = rest >= 2 * around ? 0 : around != 1 ? before : only_at_end(d, c_.size[d] - (tiles - 1) * base_[d]);
  }
  if (after < before && parts_ < kParts) {
    const u64 words = moving_ || after != 0 ? before - after : moved_by(loop);
    close({words, words});
    open_.words = {after, after};
  }
  moving_ = true;
}

// Words in place of a sliding tensor that only the last `extent` of a dimension touches, at most.
u64 OpenFlow::only_at_end(int d, u64 extent) const {
  Extents without = c_.size;
  without[at(d)] -= static_cast<u32>(extent);
  return std::min(open_.words.fetched, flow_->touched - touched_words(t_, without));
}

// Words of all tiles along a rank; `loop`: the innermost that moves the tensor, if it does so along this rank.
u64 OpenFlow::rank_words(int rank, const TrailLoop* loop) const {
  u64 longest = 1, product = 1, sum = 0, coefficients = 0;
  bool alone = true;  // of the rank's dimensions only the loop's has several tiles
  i64 halo = 1;
  u64 mine = 0;
  for (int k = 0; k < t_.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t_.by_dimension[at(k)];
    if (term.rank != rank) continue;
    const u64 size = c_.size[term.dimension], tiles = base_tiles_[term.dimension];
    longest = std::max(longest, size);
    product *= tiles;
    coefficients += term.coefficient;
    if (loop != nullptr && term.dimension == loop->dimension) {
      mine = term.coefficient;
      halo -= term.coefficient;
    } else {
      halo += i64{term.coefficient} * (static_cast<i64>(size) - 1);
      alone &= tiles == 1;
    }
  }
  for (int k = 0; k < t_.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t_.by_dimension[at(k)];
    if (term.rank == rank)
      sum += term.coefficient * u64{c_.size[term.dimension]} * (product / base_tiles_[term.dimension]);
  }
  const u64 whole = sum + product - coefficients * product;  // every box by itself
  if (loop == nullptr) return whole;
  const u8 d = loop->dimension;
  if (!alone || units_[d] != 1 || loop->end == 2) return std::min(longest, whole);
  if (halo <= 0) return whole;
  const u64 sweeps = (tiles_[d] - 1) / loop->end + 1;
  return mine * c_.size[d] + sweeps * static_cast<u64>(halo);
}

// Words that cross while `loop`, the first to move the tensor, and those outside run once through all tiles.
u64 OpenFlow::moved_by(const TrailLoop& loop) const {
  if (t_.entangled) return flow_->touched;
  u64 fetched = 1;
  DimensionMask along = 0;  // ranks that the loop moves along
  for (int k = t_.first_of[loop.dimension]; k < t_.first_of[loop.dimension + 1]; ++k)
    along |= dimension_bit(t_.by_dimension[at(k)].rank);
  for (int r = 0; r < t_.rank_count; ++r) fetched *= rank_words(r, contains(along, r) ? &loop : nullptr);
  return std::max(fetched, flow_->touched);
}

}  // namespace heliolite

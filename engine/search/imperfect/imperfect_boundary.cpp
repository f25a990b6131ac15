#include "engine/search/imperfect/imperfect_boundary.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/tile_box.h"

namespace heliolite {
namespace {

constexpr u64 kMostBoundaryTiles = 3'000'000;  // looked at
constexpr u64 kStepsBetweenLooks = 4096;       // steps between two questions whether to end

// Energy units of one round of a tensor beyond the first.
struct Round {
  DimensionMask indexing = 0;
  double units = 0;
};

class Refetch {
 public:
  Refetch(const CostModel& model, const Mapspace& space, const KeepRange& keep, const std::function<bool()>& is_over)
      : c_(model.compiled()), buffer_(c_.level_count - 2), is_over_(is_over) {
    const CompiledLevel &outer = c_.level[buffer_ + 1], &inner = c_.level[buffer_];
    const auto& levels = model.architecture().levels;
    for (int v = 0; v < c_.tensor_count; ++v) {
      if (!contains(keep.must[buffer_], v)) continue;
      const CompiledTensor& t = c_.tensor[v];
      kept_.push_back(v);
      if (t.sliding || t.entangled) continue;  // halos may be reused: nothing is claimed
      double words = 1;
      for (int d = 0; d < c_.dimension_count; ++d)
        if (contains(t.indexing, d)) words *= static_cast<double>(c_.size[d]);
      const auto units = [&](const CompiledLevel& level, const Accesses<double>& of_a_word, u64 instances) {
        const double shared = std::min(1.0, static_cast<double>(level.clusters) / static_cast<double>(instances));
        return words * shared * least_access_units(level, v, of_a_word);
      };
      // An output is not read before its first write; where its box has holes, that is more than it has words.
      const bool reads_again = !t.is_output || static_cast<double>(t.words) == words;
      const Accesses<double> served{reads_again ? 1.0 : 0.0, 0, t.is_output ? 1.0 : 0.0};
      double round = units(outer, served, levels.back().instances);
      if (reads_again) round += units(inner, {0, 1, 0}, levels[at(buffer_)].instances);
      rounds_.push_back({t.indexing, round});
    }
    allowed_ = space.levels.back().temporal.allowed & space.non_unit;
    iterations_.fill(1);
  }

  double run() {
    if (rounds_.empty()) return 0;
    Extents least;
    least.fill(1);
    for (int d = 0; d < c_.dimension_count; ++d)
      if (!contains(allowed_, d)) least[d] = c_.size[d];
    search(0, least);
    if (over_ || tiles_ > kMostBoundaryTiles || best_ == std::numeric_limits<double>::infinity()) return 0;
    return best_;
  }

 private:
  bool over() {
    if (++steps_ % kStepsBetweenLooks == 0 && is_over_) over_ |= is_over_();
    return over_;
  }

  bool fits(const Extents& tile) const {
    const CompiledLevel& buffer = c_.level[buffer_];
    u64 used = 0;
    for (const int v : kept_) used += buffer.taken(v, box_words(c_.tensor[v], tile));
    return used <= buffer.room;
  }

  // Tiles of the dimensions d and later; `smallest`: what is chosen, and the least of the rest.
  void search(int d, Extents& smallest) {
    if (tiles_ > kMostBoundaryTiles || best_ == 0 || over()) return;
    if (d == c_.dimension_count) {
      ++tiles_;
      best_ = std::min(best_, orders(0, (1u << rounds_.size()) - 1, 1));
      return;
    }
    if (!contains(allowed_, d)) return search(d + 1, smallest);
    const u32 size = c_.size[d];
    for (u32 n = 1;;) {  // iterations outside the buffer, with the least tile for each number
      const u32 tile = (size - 1) / n + 1;
      smallest[d] = tile;
      iterations_[d] = (size - 1) / tile + 1;
      if (fits(smallest)) search(d + 1, smallest);
      if (tile == 1) break;
      n = (size - 1) / (tile - 1) + 1;
    }
    smallest[d] = 1;
    iterations_[d] = 1;
  }

  // Least units over the orders of the outermost loops, innermost first. `placed`: loops inside; `open`: tensors that
  // none of them moves and that therefore stay; `run`: product of the loops placed.
  double orders(DimensionMask placed, unsigned open, double run) {
    DimensionMask moving = 0;
    for (std::size_t r = 0; r < rounds_.size(); ++r)
      if (contains(open, r)) moving |= rounds_[r].indexing;
    // Loops that move no open tensor cost nothing here.
    for (int d = 0; d < c_.dimension_count; ++d)
      if (iterations_[d] > 1 && !contains(placed | moving, d)) {
        placed |= dimension_bit(d);
        run *= iterations_[d];
      }
    double best = std::numeric_limits<double>::infinity();
    for (int d = 0; d < c_.dimension_count; ++d) {
      if (iterations_[d] == 1 || contains(placed, d)) continue;
      if (over()) break;
      unsigned still = open;
      double units = 0;
      for (std::size_t r = 0; r < rounds_.size(); ++r) {
        if (!contains(open, r) || !contains(rounds_[r].indexing, d)) continue;
        still &= ~(1u << r);
        units += rounds_[r].units * (outside(rounds_[r].indexing) / run - 1);
      }
      if (still != 0) units += orders(static_cast<DimensionMask>(placed | 1u << d), still, run * iterations_[d]);
      best = std::min(best, units);
    }
    return best == std::numeric_limits<double>::infinity() ? 0 : best;  // no loop is left: what is open never moves
  }

  // Product of the loops that do not move the tensor.
  double outside(DimensionMask indexing) const {
    double product = 1;
    for (int d = 0; d < c_.dimension_count; ++d)
      if (!contains(indexing, d)) product *= iterations_[d];
    return product;
  }

  const Compiled& c_;
  int buffer_;
  std::vector<int> kept_;  // tensors
  std::vector<Round> rounds_;
  DimensionMask allowed_ = 0;
  Extents iterations_{};
  double best_ = std::numeric_limits<double>::infinity();
  u64 tiles_ = 0, steps_ = 0;
  const std::function<bool()>& is_over_;
  bool over_ = false;
};

}  // namespace

double least_refetch_units(const CostModel& model, const Mapspace& space, const KeepRange& keep,
                           const std::function<bool()>& is_over) {
  const Compiled& c = model.compiled();
  if (c.level_count < 2) return 0;
  const CompiledLevel &outer = c.level[c.level_count - 1], &inner = c.level[c.level_count - 2];
  if (outer.fanout() > 1 || inner.room == CompiledLevel::kUnbounded) return 0;
  return Refetch(model, space, keep, is_over).run();
}

}  // namespace heliolite

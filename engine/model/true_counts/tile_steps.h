#pragma once
// What a step does to the tiles of single dimensions, and to boxes of a tensor, which they make (docs/cost_model.md,
// rules 35 and 37).
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {

// Loops are named by their place in the nest.
inline constexpr u8 kNoLoop = 255;

// Which steps of the nest are looked at.
struct StepKind {
  enum : u8 { First, Loop, Every } what;
  int loop = 0;  // for Loop: the outermost temporal loop that advances; those inside it start again
};

// Tiles of one dimension that the step brings to `run` neighbouring units of the innermost fan-out, in `count`
// contexts.
struct TileStep {
  u64 count;
  u32 run;
  u32 context;  // steps with different contexts happen at other times or under other instances
  u8 mover;     // the innermost loop inside that had moved the tile; kNoLoop: none
  u32 extent;   // of the tile, and of the one that is held
  u32 held;
  i64 move;  // from the held tile to this one
  i64 low;   // where the first unit's tile begins, from where the context begins
};

// Appends the tiles of dimension d that such a step brings to the units, at the boundary inside the loops of levels >=
// `boundary`.
void add_tile_steps(const Compiled& c, const TrueNest& nest, int boundary, int d, StepKind step, const UnitDigits& unit,
                    std::vector<TileStep>& out);

// From the tiles of single dimensions to boxes of a tensor: all combinations of what a step does to each dimension.

// A tensor's box at a step, along each rank; offsets are from the box's low corner.
struct BoxStep {
  u64 count = 1;                                  // contexts
  u64 units = 1;                                  // units of the innermost fan-out in each context
  u8 mover = kNoLoop;                             // the innermost loop inside that had moved the box
  std::array<i64, kMaxRanks> extent, held, move;  // of the box, of the held one, from that one to this
};

// Words of a step's fetch, and what of the box is still there.
struct BoxFetch {
  u64 words;
  bool keeps;                            // some of the box is held
  std::array<i64, kMaxRanks> low, high;  // of that part, if there is one
};

class StepProducts {
 public:
  StepProducts(const CompiledTensor& t, const TrueNest& nest) : t_(t), nest_(nest) {}

  // Calls leaf(BoxStep, span of const TileStep*) for all combinations of one step of each of `steps`, the dimensions
  // `dimension`.
  template <class Leaf>
  void each(std::span<const u8> dimension, std::span<const std::vector<TileStep>* const> steps, Leaf&& leaf) {
    BoxStep box;
    for (std::size_t r = 0; r < t_.rank_count; ++r) box.extent[r] = box.held[r] = 1, box.move[r] = 0;
    descend(0, dimension, steps, box, leaf);
  }

  // Where a box has gone: back to where the loops inside began, or on as the innermost of them that moved it.
  struct Going {
    bool back, on;
  };
  Going going(const BoxStep& box) const {
    Going out{true, box.mover != kNoLoop};
    std::array<i64, kMaxRanks> stride{};
    if (out.on) {
      const TruePlace& p = nest_.place[box.mover];
      for (int k = t_.first_of[p.dimension]; k < t_.first_of[p.dimension + 1]; ++k)
        stride[t_.by_dimension[k].rank] += i64{t_.by_dimension[k].coefficient} * p.inside;
    }
    for (std::size_t r = 0; r < t_.rank_count; ++r) {
      out.back &= box.move[r] == 0;
      out.on &= box.move[r] == stride[r];
    }
    return out;
  }

  // All words of the box, and those that are in the held one, too.
  std::pair<u64, u64> words(const BoxStep& box) const {
    u64 full = 1, common = 1;
    for (std::size_t r = 0; r < t_.rank_count; ++r) {
      full *= static_cast<u64>(box.extent[r]);
      const i64 low = std::max<i64>(0, -box.move[r]), high = std::min(box.extent[r], box.held[r] - box.move[r]);
      common *= static_cast<u64>(std::max<i64>(0, high - low));
    }
    return {full, common};
  }

  // What the step fetches (rule 35).
  BoxFetch fetch(const BoxStep& box, bool first) const {
    BoxFetch out;
    const auto [full, common] = words(box);
    out.keeps = !first && common != 0;
    if (out.keeps && box.mover != kNoLoop) {
      const Going to = going(box);
      out.keeps = to.back || to.on;
    }
    for (std::size_t r = 0; r < t_.rank_count && out.keeps; ++r) {
      out.low[r] = std::max<i64>(0, -box.move[r]);
      out.high[r] = std::min(box.extent[r], box.held[r] - box.move[r]);
    }
    out.words = full - (out.keeps ? common : 0);
    return out;
  }

 private:
  template <class Leaf>
  void descend(std::size_t k, std::span<const u8> dimension, std::span<const std::vector<TileStep>* const> steps,
               const BoxStep& box, Leaf& leaf) {
    if (k == dimension.size()) return leaf(box, std::span<const TileStep* const>(chosen_.data(), k));
    const u8 d = dimension[k];
    for (const TileStep& s : *steps[k]) {
      chosen_[k] = &s;
      BoxStep next;
      next.count = box.count * s.count;
      next.units = box.units * s.run;
      next.mover = contains(t_.indexing, d) ? std::min(box.mover, s.mover) : box.mover;
      for (std::size_t r = 0; r < t_.rank_count; ++r)
        next.extent[r] = box.extent[r], next.held[r] = box.held[r], next.move[r] = box.move[r];
      for (int j = t_.first_of[d]; j < t_.first_of[d + 1]; ++j) {
        const CompiledTerm& term = t_.by_dimension[j];
        const i64 c = term.coefficient;
        next.extent[term.rank] += c * (i64{s.extent} - 1);
        next.held[term.rank] += c * (i64{s.held} - 1);
        next.move[term.rank] += c * s.move;
      }
      descend(k + 1, dimension, steps, next, leaf);
    }
  }

  const CompiledTensor& t_;
  const TrueNest& nest_;
  std::array<const TileStep*, kMaxDimensions> chosen_;
};

// The tiles that steps bring to some dimensions, asked for from the innermost loop outwards.

// Between two steps only dimensions with another loop inside change: all others are kept. One at a time per thread.
class StepsOutwards {
 public:
  StepsOutwards(const Compiled& c, const TrueNest& nest, int boundary, const UnitDigits& unit, DimensionMask dimensions)
      : c_(c), nest_(nest), unit_(unit), boundary_(boundary) {
    for (const int d : bits(dimensions)) dimension_[count_++] = static_cast<u8>(d);
  }

  std::span<const u8> dimensions() const { return {dimension_.data(), at(count_)}; }

  // The tiles of each dimension at such a step, in the order of dimensions().
  std::span<const std::vector<TileStep>* const> at_step(StepKind step) {
    for (std::size_t k = 0; k < at(count_); ++k) {
      const int d = dimension_[k];
      const bool own = step.what == StepKind::Loop && nest_.place[step.loop].dimension == d;
      std::vector<TileStep>& list = own ? own_ : inner_[k];
      list_[k] = &list;
      const LoopMask inside = nest_.of[d] & loops_before(step.loop);
      if (!own && step.what == StepKind::Loop && known_[k] && inside == inside_[k]) continue;
      list.clear();
      add_tile_steps(c_, nest_, boundary_, d, step, unit_, list);
      if (own) continue;
      inside_[k] = inside;
      known_[k] = step.what == StepKind::Loop;
    }
    return {list_.data(), at(count_)};
  }

 private:
  using Lists = std::array<std::vector<TileStep>, kMaxDimensions>;

  const Compiled& c_;
  const TrueNest& nest_;
  const UnitDigits& unit_;
  int boundary_, count_ = 0;
  std::array<u8, kMaxDimensions> dimension_;
  std::array<bool, kMaxDimensions> known_{};
  std::array<LoopMask, kMaxDimensions> inside_;
  std::array<const std::vector<TileStep>*, kMaxDimensions> list_;
  Lists& inner_ = inner_lists();
  std::vector<TileStep>& own_ = own_list();

  // Storage that evaluations one after the other share.
  static Lists& inner_lists() {
    thread_local Lists lists;
    return lists;
  }
  static std::vector<TileStep>& own_list() {
    thread_local std::vector<TileStep> list;
    return list;
  }
};

}  // namespace heliolite

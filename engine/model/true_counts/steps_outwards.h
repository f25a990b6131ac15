#pragma once
// The tiles that steps bring to some dimensions, asked for from the innermost loop outwards.
#include <array>
#include <span>
#include <vector>

#include "engine/model/true_counts/tile_steps.h"

namespace heliolite {

// Between two steps only dimensions with another loop inside change: all others are kept. One at a time per thread.
class StepsOutwards {
 public:
  StepsOutwards(const Compiled& c, const TrueNest& nest, int boundary, const UnitDigits& unit, DimensionMask dimensions)
      : c_(c), nest_(nest), unit_(unit), boundary_(boundary) {
    for (const int d : bits(dimensions)) dimension_[at(count_++)] = static_cast<u8>(d);
  }

  std::span<const u8> dimensions() const { return {dimension_.data(), at(count_)}; }

  // The tiles of each dimension at such a step, in the order of dimensions().
  std::span<const std::vector<TileStep>* const> at_step(StepKind step) {
    for (std::size_t k = 0; k < at(count_); ++k) {
      const int d = dimension_[k];
      const bool own = step.what == StepKind::Loop && nest_.place[at(step.loop)].dimension == d;
      std::vector<TileStep>& list = own ? own_ : inner_[k];
      list_[k] = &list;
      const LoopMask inside = nest_.of[at(d)] & loops_before(step.loop);
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

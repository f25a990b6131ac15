// The fewest steps that any unrolling leaves the compute units, by branch and bound over the axes of the fan-outs.
#include "engine/model/compiled.h"
#include "engine/search/all_tiles/unrollings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr double kStepRounding = 1 - 1e-9;  // products of doubles

// Branch and bound over the axes of all fan-outs and the dimensions allowed there.
class LeastSteps {
 public:
  LeastSteps(const Compiled& c, const Mapspace& space) : c_(c), one_axis_(space.one_axis_per_dimension) {
    for (int i = 0; i < space.level_count(); ++i) {
      const SpatialSpace& s = space.levels[i].spatial;
      add_axis(i, s.fanout_x, s.allowed_x & space.non_unit);
      add_axis(i, s.fanout_y, s.allowed_y & space.non_unit);
    }
    for (std::size_t a = axes_.size(); a-- > 0;) {
      axes_[a].beyond = units_;
      units_ *= static_cast<double>(axes_[a].fanout);
    }
    left_ = c.size;
    unrolled_at_.fill(-1);
  }

  // 0: too many unrollings.
  u64 run() {
    next_axis(0);
    return nodes_ > kMostNodes ? 0 : static_cast<u64>(best_ * kStepRounding);
  }

  // MACs over all units.
  u64 plain() const { return static_cast<u64>(std::ceil(static_cast<double>(c_.macs) / units_ * kStepRounding)); }

 private:
  static constexpr u64 kMostNodes = 1'000'000;

  struct Axis {
    int level;
    u64 fanout;
    DimensionMask allowed;
    double beyond = 1;  // product of the fan-outs of later axes
  };

  void add_axis(int level, u64 fanout, DimensionMask allowed) {
    if (fanout > 1 && allowed != 0) axes_.push_back({level, fanout, allowed});
  }

  double steps() const {
    double product = 1;
    for (int d = 0; d < c_.dimension_count; ++d) product *= static_cast<double>(left_[d]);
    return product;
  }

  void next_axis(std::size_t a) {
    if (a == axes_.size()) best_ = std::min(best_, steps());
    else search(a, 0, axes_[a].fanout);
  }

  // Dimensions d and later on axis a, where there is `room` left.
  void search(std::size_t a, int d, u64 room) {
    if (++nodes_ > kMostNodes) return;
    const Axis& axis = axes_[a];
    if (steps() / static_cast<double>(room) / axis.beyond >= best_)
      return;  // a factor f divides the steps by f at most
    if (d == c_.dimension_count || room == 1) return next_axis(a + 1);
    if (!contains(axis.allowed, d) || (one_axis_ && unrolled_at_[d] == axis.level)) return search(a, d + 1, room);
    const u32 left = left_[d];
    const int before = unrolled_at_[d];
    for (u64 f = std::min<u64>(room, left); f >= 1; --f) {
      const u64 rest = (left + f - 1) / f;
      f = (left + rest - 1) / rest;  // the least factor with as few steps leaves the most room
      left_[d] = static_cast<u32>(rest);
      if (f > 1) unrolled_at_[d] = axis.level;
      search(a, d + 1, room / f);
      unrolled_at_[d] = before;
    }
    left_[d] = left;
  }

  const Compiled& c_;
  bool one_axis_;
  std::vector<Axis> axes_;
  std::array<u32, kMaxDimensions> left_{};  // of each dimension: steps that remain
  std::array<int, kMaxDimensions> unrolled_at_{};
  double units_ = 1, best_ = std::numeric_limits<double>::infinity();
  u64 nodes_ = 0;
};

}  // namespace

u64 fewest_steps(const Compiled& c, const Mapspace& space) {
  LeastSteps search(c, space);
  return std::max(search.plain(), search.run());
}

}  // namespace heliolite

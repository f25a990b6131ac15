// Unrollings held against each other: those that stand for others, where dimensions change places (rule symmetry) and
// where the units of a fan-out are divided otherwise between its axes (docs/rules/any_factors.md, Unrollings); and the
// fewest steps that any leaves.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/search/all_tiles/unrollings.h"
#include "engine/space/symmetry.h"

namespace heliolite {

namespace {

using Numbers = std::vector<u32>;

DimensionMask image_of(DimensionMask dimensions, const Symmetry& symmetry) {
  DimensionMask out = 0;
  for (const int d : bits(dimensions)) out |= dimension_bit(symmetry.image(d));
  return out;
}

// [class]: the one that takes its place.
std::vector<std::size_t> image_of_classes(std::span<const DimensionMask> classes, const Symmetry& symmetry) {
  std::vector<std::size_t> out;
  for (const DimensionMask of_class : classes)
    out.push_back(at(std::ranges::find(classes, image_of(of_class, symmetry)) - classes.begin()));
  return out;
}

// What tells an unrolling from others, with each class and dimension's own, or that of what takes its place.
Numbers numbers(const ClassUnrolling& u, std::span<const std::size_t> image_of_class, auto&& image_of_dimension) {
  Numbers out;
  u32 free = 0;
  for (std::size_t k = 0; k < image_of_class.size(); ++k)
    if (contains(u.free, image_of_class[k])) free |= 1u << k;
  out.push_back(free);
  for (std::size_t i = 0; i < u.units.size(); i += image_of_class.size())
    for (const std::size_t k : image_of_class) out.push_back(u.units[i + k]);
  for (const auto& along : u.along)
    for (int d = 0; d < kMaxDimensions; ++d) out.push_back(along[image_of_dimension(d)]);
  return out;
}

}  // namespace

std::vector<Mirrored> mirrored(std::span<const ClassUnrolling> unrollings, std::span<const DimensionMask> classes,
                               const Symmetry& symmetry) {
  std::vector<Mirrored> out(unrollings.size(), Mirrored::Itself);
  std::vector<std::size_t> itself(classes.size());
  std::iota(itself.begin(), itself.end(), std::size_t{0});
  const std::vector<std::size_t> image = image_of_classes(classes, symmetry);
  const bool known = std::ranges::all_of(image, [&](std::size_t k) { return k < classes.size(); });
  const bool divided = std::ranges::any_of(unrollings, [](const ClassUnrolling& u) { return !u.along.empty(); });
  if (!known || (image == itself && !divided)) return out;
  std::map<Numbers, std::size_t> place;
  for (std::size_t k = 0; k < unrollings.size(); ++k)
    place.emplace(numbers(unrollings[k], itself, [](int d) { return d; }), k);
  for (const auto& [own, k] : place) {
    const Numbers of_image = numbers(unrollings[k], image, [&](int d) { return symmetry.image(d); });
    if (of_image == own || !place.contains(of_image)) continue;
    out[k] = own < of_image ? Mirrored::StandsFor : Mirrored::LeftOut;
  }
  return out;
}

namespace {

// Tries all divisions.
class Divisions {
 public:
  Divisions(const SpatialSpace& fanout, std::span<const u32> units, std::span<const u8> lowest)
      : fanout_(fanout), units_(units), lowest_(lowest), along_x_(units.size(), 1) {}

  std::vector<u64> highest() {
    divide(0, fanout_.fanout_x, fanout_.fanout_y);
    return best_;
  }

 private:
  // The units of dimension d and those after it.
  void divide(std::size_t d, u64 room_x, u64 room_y) {
    while (d < units_.size() && units_[d] == 1) ++d;
    if (d == units_.size()) {
      best_ = std::max(best_, column_rank(along_x_, lowest_));
      return;
    }
    const int dimension = static_cast<int>(d);
    for (u32 x = 1; x <= std::min<u64>(units_[d], room_x); ++x) {
      const u32 y = units_[d] / x;
      if (units_[d] % x != 0 || y > room_y) continue;
      if (x > 1 && !contains(fanout_.allowed_x, dimension)) continue;
      if (y > 1 && !contains(fanout_.allowed_y, dimension)) continue;
      along_x_[d] = x;
      divide(d + 1, room_x / x, room_y / y);
    }
    along_x_[d] = 1;
  }

  const SpatialSpace& fanout_;
  std::span<const u32> units_;
  std::span<const u8> lowest_;
  std::vector<u32> along_x_;
  std::vector<u64> best_;
};

}  // namespace

std::vector<u64> column_rank(std::span<const u32> along_x, std::span<const u8> lowest) {
  std::vector<u64> out(along_x.size() + 1, 1);
  for (std::size_t d = 0; d < along_x.size(); ++d) {
    out[0] *= along_x[d];
    out[lowest[d] + 1] *= along_x[d];
  }
  return out;
}

std::vector<u64> highest_column_rank(const SpatialSpace& fanout, std::span<const u32> units,
                                     std::span<const u8> lowest) {
  return Divisions(fanout, units, lowest).highest();
}

// The fewest steps that any unrolling leaves the compute units, by branch and bound over the axes of the fan-outs.

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

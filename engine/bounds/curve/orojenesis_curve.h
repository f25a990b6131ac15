#pragma once
// Least accesses to a backing store as a function of the buffer in front of it: a staircase of the Pareto-optimal
// pairs, each with how it is reached (Huang, Tsai, Emer, Parashar, "Mind the Gap", ISCA 2024: the ski slope).
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// Buffers ascend, accesses descend, both strictly. `How` tells how a point is reached.
template <class How>
class Staircase {
 public:
  struct Point {
    u64 buffer = 0;    // words, or bytes when words have sizes
    u64 accesses = 0;  // reads and writes of the backing store, in the same unit
    How how{};
  };

  // Whether no point needs at most this buffer for at most these accesses.
  bool admits(u64 buffer, u64 accesses) const {
    const auto after = first_above(buffer);
    return after == points_.begin() || (after - 1)->accesses > accesses;
  }

  // Adds the point if it is admitted, and removes what it makes superfluous.
  void add(u64 buffer, u64 accesses, How how) {
    if (!admits(buffer, accesses)) return;
    const auto first = std::ranges::lower_bound(points_, buffer, {}, &Point::buffer);
    const auto last = std::ranges::find_if(first, points_.end(), [&](const Point& p) { return p.accesses < accesses; });
    if (first == last) {
      points_.insert(first, Point{buffer, accesses, std::move(how)});
      return;
    }
    *first = Point{buffer, accesses, std::move(how)};
    points_.erase(first + 1, last);
  }

  std::span<const Point> points() const { return points_; }
  bool empty() const { return points_.empty(); }

  // The point with the fewest accesses that `capacity` admits; null when even the first one needs more.
  const Point* at(u64 capacity) const {
    const auto after = first_above(capacity);
    return after == points_.begin() ? nullptr : &*(after - 1);
  }

 private:
  auto first_above(u64 buffer) const { return std::ranges::upper_bound(points_, buffer, {}, &Point::buffer); }

  std::vector<Point> points_;
};

}  // namespace heliolite

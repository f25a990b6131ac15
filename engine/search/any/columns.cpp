#include "engine/search/any/columns.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
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
    out[at(lowest[d]) + 1] *= along_x[d];
  }
  return out;
}

std::vector<u64> highest_column_rank(const SpatialSpace& fanout, std::span<const u32> units,
                                     std::span<const u8> lowest) {
  return Divisions(fanout, units, lowest).highest();
}

}  // namespace heliolite

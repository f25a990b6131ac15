#pragma once
// The splits of one dimension as a table to draw from in two steps: first the factors of all fan-outs, for most draws
// end there because a fan-out has no room; then those of the temporal loops.
#include <optional>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/space/splits.h"

namespace heliolite {

// The perfect splits of one dimension.
class SplitTable {
 public:
  // None if the dimension has no split, or more than a table should hold.
  static std::optional<SplitTable> of(const Splits& splits, int d);

  // Draws an unrolling, that is what the dimension has in every fan-out: each is as likely as it has splits.
  std::size_t draw_unrolling(SplitMix& random) const {
    if (ends_.size() == 1) return 0;
    const u64 number = random.next() >> 1;
    std::size_t k = guide_[number >> guide_shift_];
    while (ends_[k] <= number) ++k;
    return k;
  }
  // [level]: the factors of the fan-out below it.
  const PlaceFactor* factors(std::size_t unrolling) const { return &factors_[unrolling * levels_]; }

  // Draws the temporal loops that go with an unrolling, uniformly. [level]: their iterations.
  const u32* draw_loops(SplitMix& random, std::size_t unrolling) const {
    const Rows& rows = rows_[left_[unrolling]];
    const u64 k = rows.count == 1 ? 0 : random.below(rows.count);
    return &loops_[(rows.first + k) * levels_];
  }

 private:
  friend class SplitTableBuilder;
  struct Rows {
    u64 first, count;
  };

  std::size_t levels_ = 0;
  std::vector<PlaceFactor> factors_;
  std::vector<u32> left_;   // [unrolling]: index into rows_
  std::vector<u64> ends_;   // [unrolling]: probability of it and of those before it, in units of 2^-63
  std::vector<u32> guide_;  // [leading bits of a random number]: the first unrolling that it can mean
  int guide_shift_ = 0;     // bits of a number of 63 that are not leading
  std::vector<Rows> rows_;  // of loops_, for each number of iterations that an unrolling can leave
  std::vector<u32> loops_;
};

}  // namespace heliolite

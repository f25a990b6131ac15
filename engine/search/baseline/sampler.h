#pragma once
// Mappings drawn at random: sample n of a seed is the same whoever draws it, and whatever was drawn before.
#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/model/cost_model.h"
#include "engine/space/mapspace.h"
#include "engine/space/splits.h"

namespace heliolite {

// A split of a dimension drawn without a table of all of them: one place after the other.

// Draws a split of dimension d uniformly from all and calls take(place, factor) for each place, innermost first. All
// completions of what is left are equally likely at each place, hence all splits are.
template <class Take>
void draw_split(const Splits& splits, int d, SplitMix& random, Take&& take) {
  auto left = static_cast<u32>(splits.space().size[d]);
  for (int p = 0; p < splits.place_count(); ++p) {
    const u128 all = splits.ways(d, p, left);
    u128 k = all <= 1 ? 0 : random.below_any(all);
    splits.for_each_run(d, p, left, [&](const FactorRun& run) {
      const u128 each = splits.ways(d, p + 1, run.left);
      const u128 total = each * (run.last - run.first + 1);
      if (k >= total) {
        k -= total;
        return true;
      }
      take(p, PlaceFactor{run.first + static_cast<u32>(k / each), run.y});
      left = run.left;
      return false;
    });
  }
}

// The splits of one dimension as a table to draw from in two steps: first the factors of all fan-outs, for most draws
// end there because a fan-out has no room; then those of the temporal loops.

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
  std::vector<Rows> rows_;  // [iterations that an unrolling can leave]: rows of loops_
  std::vector<u32> loops_;
};

// Draws each dimension's split over levels and fan-outs uniformly from all its splits, uniform orders of the loops of
// more than one iteration, and a coin for each open keep choice.
class Sampler {
 public:
  // The mapspace and the model, which are of the same pair, must outlive it. `any_factors`: factors need not divide,
  // and are counted like `counts` then.
  Sampler(const Mapspace& space, const CostModel& model, bool any_factors, u64 seed, Counts counts = Counts::Timeloop);

  // Whether every dimension has a split at all.
  bool possible() const;

  // Draws and prices sample `number`, which `out` is if it fits. If the fan-outs have no room the verdict is that of
  // one of them. Steps in the order in which they reject most: 1. the factors of the fan-outs, 2. the temporal loops;
  // a tile that no choice of kept tensors makes fit ends the draw; 3. orders and kept tensors.
  Evaluation evaluate(u64 number, Mapping& out) const;

  // Steps 1 and 2 alone, with perfect factors. The verdict is that of a fan-out, of a buffer that is too small whatever
  // it keeps, or Fits: `out` is then legal, and may fit.
  Verdict draw_factors(SplitMix& random, PlaceFactors& out) const;

 private:
  // The split of one dimension that is not in a table.
  struct Split {
    std::array<PlaceFactor, kMaxLevels> unrolled;
    std::array<u32, kMaxLevels> loop;
  };
  // By dimension and level; in the tables or in `own`.
  struct Tiling {
    std::array<const PlaceFactor*, kMaxDimensions> unrolled;
    std::array<const u32*, kMaxDimensions> loop;
    std::array<Split, kMaxDimensions> own;
  };

  u32 size(int d) const { return static_cast<u32>(space_.size[d]); }
  bool draw_until_enough(SplitMix& random, Tiling& tiling) const;
  u64 units(const Tiling& tiling) const;
  bool draw_tiling(SplitMix& random, Tiling& tiling) const;
  void walk_split(SplitMix& random, int d, Split& out) const;
  std::optional<int> overflowing_level(const Tiling& tiling) const;
  void write_factors(const Tiling& tiling, PlaceFactors& out) const;
  void draw_rest(SplitMix& random, const PlaceFactors& factors, Mapping& out) const;

  const Mapspace& space_;
  const CostModel& model_;
  bool any_factors_;
  Counts counts_;
  u64 seed_;
  Splits splits_;
  NestWriter writer_;
  std::vector<std::optional<SplitTable>> table_;  // [dimension]; none: its splits are walked
  std::vector<int> fanouts_;                      // levels with a fan-out below
};

// What mappings drawn at random cost: a picture of a mapspace, not a search.

struct SampleOptions {
  u64 mappings = 1000;  // legal ones to draw
  u64 seed = 1;
  int threads = 0;                          // 0 = every core
  const std::atomic<bool>* stop = nullptr;  // when somebody sets it, what was drawn so far is returned
};

// Legal mappings in the order in which they were drawn; the same for any number of threads.
struct SpaceSample {
  std::vector<u64> numbers;  // of their draws: Sampler(space, model, false, seed).evaluate(number, mapping)
  std::vector<Cost> costs;   // one for each
  u64 drawn = 0;             // with those that do not fit
  bool complete = false;     // false: stopped, or kRandomTimeout draws in a row did not fit
};

// Perfect factors. The mapspace and the model must be of the same pair.
SpaceSample sample_space(const Mapspace& space, const CostModel& model, const SampleOptions& options);

}  // namespace heliolite

#pragma once
// Mappings drawn at random: sample n of a seed is the same whoever draws it, and whatever was drawn before.
#include <array>
#include <optional>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/model/cost_model.h"
#include "engine/search/baseline/split_table.h"
#include "engine/space/mapspace.h"
#include "engine/space/nest_writer.h"
#include "engine/space/splits.h"

namespace heliolite {

// Draws each dimension's split over levels and fan-outs uniformly from all its splits, uniform orders of the loops of
// more than one iteration, and a coin for each open keep choice.
class Sampler {
 public:
  // The mapspace and the model, which are of the same pair, must outlive it. `imperfect`: factors need not divide,
  // and are counted like `counts` then.
  Sampler(const Mapspace& space, const CostModel& model, bool imperfect, u64 seed, Counts counts = Counts::Timeloop);

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

  u32 size(int d) const { return static_cast<u32>(space_.size[at(d)]); }
  bool draw_until_enough(SplitMix& random, Tiling& tiling) const;
  u64 units(const Tiling& tiling) const;
  bool draw_tiling(SplitMix& random, Tiling& tiling) const;
  void walk_split(SplitMix& random, int d, Split& out) const;
  std::optional<int> overflowing_level(const Tiling& tiling) const;
  void write_factors(const Tiling& tiling, PlaceFactors& out) const;
  void draw_rest(SplitMix& random, const PlaceFactors& factors, Mapping& out) const;

  const Mapspace& space_;
  const CostModel& model_;
  bool imperfect_;
  Counts counts_;
  u64 seed_;
  Splits splits_;
  NestWriter writer_;
  std::vector<std::optional<SplitTable>> table_;  // [dimension]; none: its splits are walked
  std::vector<int> fanouts_;                      // levels with a fan-out below
};

}  // namespace heliolite

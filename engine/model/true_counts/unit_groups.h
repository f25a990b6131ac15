#pragma once
// Units that fetch the same words at the same step (docs/cost_model.md, rule 38).
#include <vector>

#include "engine/model/true_counts/fetches.h"
#include "engine/model/true_counts/tile_steps.h"

namespace heliolite {

// Number of different places among the units of these tiles, a run along each dimension; 0: they must be listed.
// `stride`: [dimension], nominal tile of one unit.
u64 distinct_units(const CompiledTensor& t, const Extents& stride, std::span<const u8> dimension,
                   std::span<const u32> run);

// Dimensions of the tensor that share ranks with the first of `left`, directly or through others.
DimensionMask sharing_group(const CompiledTensor& t, DimensionMask left);

// Fetches of the units of one fan-out, gathered from StepProducts, so that equal ones can be counted once.
class UnitGroups {
 public:
  UnitGroups(const CompiledTensor& t, const Extents& stride) : t_(t), stride_(stride) {}

  void clear() { leaf_.clear(); }
  // `tiles`: of the dimensions, in their order.
  void add(const BoxStep& box, const BoxFetch& fetch, std::span<const TileStep* const> tiles);
  // Words of all fetches added since clear(), equal ones of units that act at the same time once. `dimension`: the
  // dimensions, in the order of `tiles`.
  u64 words(std::span<const u8> dimension);

 private:
  // Fetches that differ in the units' places only: runs of units along each dimension.
  struct Leaf {
    u64 count, words;
    u8 dimensions;
    bool keeps;
    std::array<i64, kMaxRanks> extent, low, high;  // of the box, and of the part that is held
    std::array<u32, kMaxDimensions> context, run;  // in the order of the dimensions
    std::array<i64, kMaxDimensions> first;
  };
  bool less(const Leaf& a, const Leaf& b) const;
  u64 distinct(std::span<const Leaf> alike, std::span<const u8> dimension);
  u64 listed(std::span<const Leaf> alike, std::span<const u8> dimension);

  const CompiledTensor& t_;
  const Extents& stride_;
  std::vector<Leaf> leaf_;
  std::vector<u64> offset_;
};

// Like count_fetches, with units of the fan-outs boundary .. high sharing what they fetch alike, by going through all
// tiles of all dimensions: for units that meet in several fan-outs, with levels between them that the tensor passes by.
void listed_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary, int high,
                    const UnitDigits& unit, Fetches& out);

}  // namespace heliolite

#pragma once
// Units that ask for the same words at the same step (docs/cost_model.md, rule 38): the words that the compute units
// ask for of a sliding tensor, in closed form, and fetches of units gathered, so that equal ones are counted once.
#include <optional>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/true_counts/fetches.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {

// Words of a sliding tensor that the compute units ask for, those that several units ask for at a moment once
// (rules 35 and 38): rank by rank, in closed form where the units of a rank meet in one fan-out.

// Units of one dimension in one fan-out; each works on `inside` elements, one after the other, before all go on.
struct UnitRow {
  u64 units = 1, inside = 1;
};

// Different words of a rank that two rows of a fan-out ask for, over all moments, their dimensions' sizes and
// coefficients in the rank being given.
u64 asked_together(const UnitRow& a, u64 coefficient_a, u64 size_a, const UnitRow& b, u64 coefficient_b, u64 size_b);

// All that leave the fan-outs below level `high` and further inside, in one pass through the tensor's dimensions, of
// the instances in `unit`. Nothing where more than two dimensions share a rank, or large ones have units that meet in
// several of these fan-outs.
std::optional<u64> asked_words(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int high,
                               const UnitDigits& unit);

// Fetches of units, gathered.

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

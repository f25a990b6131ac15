#pragma once
// Dimensions that a layer's costs do not tell apart: those that change places (docs/rules/exact.md, rule symmetry: a
// square convolution with its rows and columns swapped), and those that are one to every mapping.
#include <array>
#include <optional>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// Pairs of dimensions that change places, all at once. Doing it twice changes nothing.
class Symmetry {
 public:
  u8 image(int d) const { return image_[d]; }

  // What is known by dimension, or by rank of a tensor, after the dimensions have changed places.
  Extents swapped(const Extents& extents) const;
  std::array<i64, kMaxRanks> swapped(int tensor, const std::array<i64, kMaxRanks>& by_rank) const;
  // Dimensions of loops, as a frontier's node lists them: 4 bits each, dimension + 1.
  u64 swapped(u64 order) const;
  // A mapping of the mapspace that the symmetry was found for.
  Mapping swapped(const Mapping& mapping, const Mapspace& space) const;

  // Whether the tile stands for both of two that change into each other: it has less of the first dimension that
  // differs.
  bool stands(const Extents& tile) const;

 private:
  friend std::optional<Symmetry> find_symmetry(const Mapspace& space, const Compiled& compiled);
  Symmetry();

  std::array<u8, kMaxDimensions> image_;                           // [dimension]: what takes its place
  std::array<std::array<u8, kMaxRanks>, kMaxTensors> rank_image_;  // [tensor][rank]
};

// A symmetry of the layer on the machine: every mapping that is legal is so with the dimensions swapped, and costs the
// same. Each tensor's ranks change places among themselves; constraints are alike for the dimensions of a pair; orders
// that are prescribed name none of them; where words pay for their way through a fan-out, no axis takes both dimensions
// of a pair, whose order would change. None if there is no such pair, or none that this finds: it tries up to three
// pairs at once.
std::optional<Symmetry> find_symmetry(const Mapspace& space, const Compiled& compiled);

// Dimensions that are one dimension to every mapping's cost: a smaller mapspace with the same best value
// (docs/rules/exact.md, rule merge-dimensions).

// Which dimensions of a layer are merged. Two are if they index the same tensors, among them all that slide along other
// dimensions, slide nowhere (standalone_dimensions), and the machine's constraints treat them alike: at every level and
// fan-out neither may have a loop, or both may have any, or both must have their whole size. Where words pay for the
// way they take through a fan-out, they also have to be neighbours in the order of its loops, and where a dimension may
// use one axis of a fan-out only, that fan-out must have one axis for them.
class MergedDimensions {
 public:
  MergedDimensions(const Mapspace& space, const Compiled& compiled);

  bool any() const { return absorbed() > 0; }
  // Dimensions that are gone.
  int absorbed() const;

  // The layer with merged sizes: the first dimension of a group has the product of all, the others have size 1.
  Workload merge(Workload workload) const;
  // The legal mappings of that layer. `space`: of the unmerged one.
  Mapspace merge(Mapspace space) const;
  // The mapping of the merged layer that costs no more than `mapping`, a perfect one of the unmerged layer: at each
  // level the loops of merged dimensions become one, where the innermost of them stands.
  Mapping join(const Mapping& mapping) const;
  // The mapping of the unmerged layer with the same cost: the loops of a merged dimension become loops of its parts,
  // each as much of the first part as is left. `space`: of the unmerged layer.
  Mapping split(const Mapping& merged, const Mapspace& space) const;

 private:
  bool mergeable(int d, int e) const;
  bool neighbours(int d, int e) const;

  const Mapspace* space_;  // only while the groups are made
  const Compiled* compiled_;
  std::array<u64, kMaxDimensions> size_{};  // unmerged
  std::vector<std::vector<int>> groups_;    // of two dimensions or more, ascending
};

// Takes the temporal loops away from all levels but the outermost, for dimensions that index every tensor and slide
// nowhere (docs/rules/exact.md, rule batch-outermost), and returns those that had some.
DimensionMask keep_batch_outermost(Mapspace& space, const Compiled& compiled);

// The perfect mapping with the temporal loops that `space` does not allow put outermost at the outermost level.
Mapping with_batch_outermost(const Mapping& mapping, const Mapspace& space);

}  // namespace heliolite

#pragma once
// A layer that is the same when some of its dimensions change places: a square convolution with its rows and columns
// swapped (docs/rules/exact.md, rule symmetry).
#include <array>
#include <optional>

#include "engine/base/integers.h"
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

}  // namespace heliolite

#pragma once
// A mapping as searches by small changes hold it, and the changes.
#include <array>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/search/core/layer_problem.h"
#include "engine/space/splits.h"

namespace heliolite {

// Factors that obey the mapspace but may not fit, an order of the workload's dimensions for each level (what stands
// beyond their number means nothing), and what each level keeps.
struct Genome {
  PlaceFactors factor;                                           // [place][dimension]
  std::array<std::array<u8, kMaxDimensions>, kMaxLevels> order;  // [level]: innermost first
  std::array<TensorMask, kMaxLevels> keep{};
};

// The genomes of one layer, perfect factors only. The problem must outlive it.
class GenomeSpace {
 public:
  explicit GenomeSpace(const LayerProblem& problem);

  // Whether every dimension has a split at all.
  bool possible() const;

  // Tiles as small as they may be, inside out, with everything else at the outermost level; every level keeps what it
  // may; orders as declared.
  Genome smallest_tiles() const;
  // Draws one dimension's split anew.
  void draw_split(SplitMix& random, int dimension, Genome& genome) const;

  // Small changes at a place that is drawn; each returns false, and changes nothing, where there is none to make.
  bool move_factor(SplitMix& random, Genome& genome) const;  // a prime factor of a dimension to another place or axis
  bool swap_loops(SplitMix& random, Genome& genome) const;   // two neighbours in a level's order
  bool toggle_keep(SplitMix& random, Genome& genome) const;  // a tensor is kept instead of passed by, or not

  // The mapping that it stands for. A machine's own order of loops goes before the genome's. False: a fan-out has no
  // room for it.
  bool write(const Genome& genome, Mapping& out) const;

  // Dimensions of size above 1.
  const std::vector<u8>& dimensions() const { return dimensions_; }
  // Levels that may have two loops, which can change places.
  const std::vector<u8>& ordered_levels() const { return ordered_levels_; }

 private:
  bool legal(const Genome& genome, int dimension) const;
  u32* factor_at(Genome& genome, int seat, int dimension) const;

  const Mapspace& space_;
  Splits splits_;
  NestWriter writer_;
  std::vector<u8> dimensions_, ordered_levels_;
  std::vector<std::vector<u32>> primes_;         // [dimension]: distinct primes of its size
  std::vector<std::pair<u8, TensorMask>> open_;  // level and tensor of each open keep choice
  std::vector<std::vector<int>> seats_;          // [dimension]: 3 * level + (X, Y, over time) that it may have
};

}  // namespace heliolite

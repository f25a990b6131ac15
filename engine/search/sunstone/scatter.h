#pragma once
// Disturbances of complete plans: all temporal loops are shared anew between the levels, at random, as far as they fit.
#include <array>
#include <random>
#include <utility>
#include <vector>

#include "engine/search/sunstone/ladder.h"

namespace heliolite {

// Draws temporal loops.
class Scattering {
 public:
  explicit Scattering(const Mapspace& space);

  // Takes the prime factors of the plan's temporal loops, except what constraints fix, in random order and gives each
  // to a level drawn from those that may have its dimension or, where it does not fit there, to the next one outside
  // where it does. Unrollings stay. False: they leave no room, or the limits of the levels do not allow what was drawn;
  // the plan is then of no use.
  bool scatter(Ladder& ladder, Plan& plan, std::mt19937_64& random);

 private:
  bool place(const Ladder& ladder, Plan& plan, int d, u32 prime, std::size_t first);
  bool fits(const Ladder& ladder, int from) const;

  const Mapspace& space_;
  int top_;
  std::array<std::vector<u8>, kMaxDimensions> levels_;   // [dimension]: that may have it, innermost first
  std::array<std::vector<u32>, kMaxDimensions> primes_;  // [dimension]: primes of its size
  std::vector<std::pair<u8, u32>> factors_;              // dimension, prime: to be placed
  std::array<Extents, kMaxLevels> tile_;                 // [level]: of what is placed
};

}  // namespace heliolite

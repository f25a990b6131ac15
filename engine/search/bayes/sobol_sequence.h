#pragma once
// Points that fill the unit cube more evenly than random ones: Sobol's sequence with the direction numbers of Joe and
// Kuo (SIAM J. Sci. Comput. 30, 2008; Boost.Random has them), in the scrambling of Owen (J. Complexity 14, 1998), which
// makes sequences of different seeds independent and keeps each of them even.
#include <boost/random/sobol.hpp>
#include <span>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

class SobolSequence {
 public:
  // At least one dimension and at most kMostDimensions.
  SobolSequence(std::size_t dimensions, u64 seed);
  static constexpr std::size_t kMostDimensions = 3667;

  // The next point, each coordinate in (0, 1).
  std::vector<double> next();

 private:
  boost::random::sobol sequence_;  // without its first point, the origin
  bool at_origin_ = true;
  std::vector<u32> scramble_;  // [dimension]: the seed of its permutation
};

}  // namespace heliolite

#pragma once
// The real tile that attains the HBL bound: with each array confined to the capacity, the box of most iterations. Sums
// of extents are taken as the larger one, so every extent is right up to a constant.
#include <vector>

#include "engine/bounds/hbl/hbl_nest.h"

namespace heliolite {

// A box with real extents.
struct RealTile {
  double log_volume = 0;       // natural logarithm of its iterations
  std::vector<double> extent;  // [loop]
};

// One row for each choice of one loop a rank: how often each loop is chosen. The product of the chosen extents is at
// most the array's footprint, and the largest of these products is the footprint up to a constant.
std::vector<std::vector<int>> footprint_rows(const Access& access, std::size_t loops);

// The box of most iterations, with lambda_l = log_M extent_l: max sum_l lambda_l subject to lambda_l <= log_M size_l
// and, for each array and each choice of one loop a rank, the sum over the chosen loops <= 1 - log_M word_size.
// `capacity` > 1 and at least every word size.
RealTile largest_tile(const AccessNest& nest, double capacity);

// The extreme tiles of the largest volume: for each loop those with its smallest and its largest extent; only one if it
// is unique. Products of powers of them, with weights that add up to 1, have the largest volume too.
std::vector<RealTile> largest_tiles(const AccessNest& nest, double capacity);

}  // namespace heliolite

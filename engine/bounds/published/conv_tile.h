#pragma once
// Tilings of convolutions that attain their bounds up to a constant: the lifted linear program in closed form, and the
// decision tree for stride 1. Source: Demmel and Dinh, section 5, theorem 2 and appendix A; two of its cases are mended
// (docs/bounds.md).
#include <string_view>
#include <vector>

#include "engine/bounds/conv/conv_shape.h"

namespace heliolite {

// Iterations of the largest lifted tile with words of one size: the optimum of largest_tile(lifted_nest(conv)).
double largest_conv_tile(const Convolution& conv, double capacity);

// A tile for stride 1 found by cases. Sums of extents are taken as the larger one.
struct ConvTile {
  std::string_view branch;  // as the theorem numbers its cases: "2.2.1"
  double batch = 1, in_channels = 1, out_channels = 1;
  std::vector<double> outputs, taps;  // [window]: extents of the tile

  double volume() const;  // iterations
};
// `conv` must have strides 1 and in each window taps <= outputs; `capacity` in words.
ConvTile stride_one_tile(const Convolution& conv, double capacity);

}  // namespace heliolite

#pragma once
// Words that other algorithms for a convolution move between a memory of M words and what is outside, loads and stores:
// yardsticks for tilings of the convolution itself. Dinh, Optimization-Based Mappers and Lower Bounds for Tensor
// Problems, 4.3.1, compares them without printing formulas; those here are ours and stated in
// docs/rules/bounds_conv.md. Windows with strides are split into stride-1 convolutions of ceil(taps / stride) taps, one
// for each remainder.
#include <string_view>
#include <vector>

#include "engine/bounds/conv/conv_bound.h"

namespace heliolite {

// Tilings of convolutions that attain their bounds up to a constant: the lifted linear program in closed form, and the
// decision tree for stride 1. Source: Demmel and Dinh, section 5, theorem 2 and appendix A; two of its cases are mended
// (docs/bounds.md).

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

// A matrix product of m x k by k x n with words of these sizes.
struct MatrixProduct {
  double m = 1, n = 1, k = 1;
  double left_word = 1, right_word = 1, out_word = 1;
};

// The least over tilings of one matrix that stays, by tiles, while the others stream by: tiles of whole numbers, edges
// exact. Infinite when no three words fit.
double product_words(const MatrixProduct& product, double capacity);

// Every MAC loads its two operands; sums stay in a register.
double naive_words(const Convolution& conv);
// The image is copied into a matrix of a row for each output position; then a product.
double im2col_words(const Convolution& conv, double capacity);
// Blocks of m outputs along each window, the m of 2 to 6 that moves the least; images, filters and outputs are
// transformed in passes of their own.
double winograd_words(const Convolution& conv, double capacity);
// Whole planes are transformed, with as many passes as a memory of this size needs.
double fft_words(const Convolution& conv, double capacity);

}  // namespace heliolite

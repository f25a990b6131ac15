#pragma once
// Lower bounds for convolutions and poolings in closed form. Sources: Demmel and Dinh, Communication-Optimal
// Convolutional Neural Nets (theorem 1, sections 6 and 7); Dinh, Optimization-Based Mappers and Lower Bounds for
// Tensor Problems (theorem 15). Which hold under which assumptions: docs/bounds.md.
#include <array>
#include <vector>

#include "engine/bounds/conv/conv_shape.h"

namespace heliolite {

// Asymptotic orders of the words that must move, up to a constant and for words of one size; no guarantee for any
// single execution. The largest counts of: |Out|, stride |Out| C / K, |Filter|, G / M and B C K W H sqrt(R S stride /
// M). `capacity` is M in words.
std::array<double, 5> convolution_order(const Convolution& conv, double capacity);
// The same for a pooling, Out(k,w,h,b) += Image(..,c,b) without a filter: its first, second and fourth term.
std::array<double, 3> pooling_order(const Convolution& conv, double capacity);
// The order for p processors that share a memory, hold `capacity` words each and own blocks of the output of
// B/split[0] x K/split[1] x W/split[2] x ..: the split with product p that moves the least.
struct ParallelOrder {
  double words = 0;           // that all processors move together
  std::vector<double> split;  // batch, out channels, positions of each window
};
ParallelOrder parallel_convolution_order(const Convolution& conv, double capacity, u64 processors);

// A bound with its constants: no execution loads and stores fewer words than the largest of the three numbers (negative
// ones say nothing).
struct ConvolutionBound {
  double arrays = 0;  // every element once
  double large = 0;   // C_p G / M - M: filters of more taps than fit
  double small = 0;   // 2 sqrt(p_I p_F p_O) G / sqrt(N M) - 2 M, N the lifted taps ceil(R/stride) ceil(S/stride)

  double words() const;  // the largest
};
ConvolutionBound convolution_bound(const Convolution& conv, double capacity);

// C_p of the second number: (p_I + p_F + p_O)^2 / 4, or p_max times the sum of the other two when it is above that sum.
double large_filter_constant(double image_word, double filter_word, double out_word);
// The third number; `lifted_taps` is N. The paper prints R S / stride for N, which claims too much where strides do not
// divide the taps.
double small_filter_words(const Convolution& conv, double capacity, double lifted_taps);

}  // namespace heliolite

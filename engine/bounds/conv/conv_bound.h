#pragma once
// Lower bounds for convolutions and poolings in closed form. Sources: Demmel and Dinh, Communication-Optimal
// Convolutional Neural Nets (theorem 1, sections 6 and 7); Dinh, Optimization-Based Mappers and Lower Bounds for
// Tensor Problems (theorem 15). Which hold under which assumptions: docs/bounds.md.
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "workloads/workload.h"

namespace heliolite {

// A convolution as the literature on its communication writes it: Out(k,w,h,b) += Image(r + stride w, .., c, b) *
// Filter(k,r,s,c), over any number of windows. Matrix products are convolutions without windows. Sizes are real because
// asymptotic results divide them.

// A window that slides along one axis of the image.
struct ConvWindow {
  double outputs = 1;  // W, H: positions of the window
  double taps = 1;     // R, S: its width
  double stride = 1;   // at most `taps`: pixels that no window sees are left out

  double pixels() const { return (outputs - 1) * stride + taps; }  // pixels that some window sees
  double quotients() const;                                        // ceil(taps / stride): windows that share a pixel
};

struct Convolution {
  double batch = 1, in_channels = 1, out_channels = 1;  // B, C, K
  std::vector<ConvWindow> windows;
  double image_word = 1, filter_word = 1, out_word = 1;  // words of one element

  double outputs() const;    // product of the windows' positions
  double taps() const;       // R S
  double stride() const;     // product of the strides
  double quotients() const;  // product of the windows': the (r', s') pairs of the lifted filter
  double macs() const;       // G
  double image() const;      // elements of the image that some window sees
  double filter() const;     // elements of the filter
  double out() const;        // elements of the output
};

// The workload as a convolution; dimensions of equal role are multiplied. Nothing when it is none: groups, dilations,
// or tensors beyond the three. `word_sizes[tensor]`: words of one element; 1 for tensors beyond its end.
std::optional<Convolution> as_convolution(const Workload& workload, std::span<const double> word_sizes = {});

// Asymptotic orders of the words that must move, up to a constant and for words of one size; no guarantee for any
// single execution. The largest counts of: |Out|, stride |Out| C / K, |Filter|, G / M and B C K W H sqrt(R S stride /
// M). `capacity` is M in words.
std::array<double, 5> convolution_order(const Convolution& conv, double capacity);
// A pooling's order, Out(k,w,h,b) += Image(..,c,b) without a filter: first, second and fourth term of a convolution's.
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

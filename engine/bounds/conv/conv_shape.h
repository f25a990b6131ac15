#pragma once
// A convolution as the literature on its communication writes it: Out(k,w,h,b) += Image(r + stride w, .., c, b) *
// Filter(k,r,s,c), over any number of windows. Matrix products are convolutions without windows. Sizes are real because
// asymptotic results divide them.
#include <optional>
#include <span>
#include <vector>

#include "engine/bounds/hbl/hbl_nest.h"
#include "workloads/workload.h"

namespace heliolite {

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

// The lifted nest over B, C, K and w, r', r'' of each window, with real sizes: r' = taps / stride.
AccessNest lifted_nest(const Convolution& conv);

}  // namespace heliolite

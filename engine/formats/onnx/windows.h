#pragma once
// Where a window goes over the lines and columns of an image: kernel, strides, dilations and borders of convolutions
// and poolings, in any number of directions.
#include "engine/formats/onnx/call.h"

namespace heliolite::onnx {

struct Windows {
  std::vector<i64> kernel, strides, dilations;
  std::vector<i64> pads;  // of each direction: before and after, as far as they are given
  Shape out;              // positions of the window, by direction
};

// The windows over `image` (the sizes of the directions); complains if an attribute does not fit or if there is no room
// for one. `up`: a window may hang over the end, as with ceil_mode.
Windows windows_over(Call& call, const Shape& image, const std::vector<i64>& kernel, bool up);

// The dimensions after the first two.
Shape image_of(const Shape& shape);

}  // namespace heliolite::onnx

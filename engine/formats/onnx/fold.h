#pragma once
// Contents of constants that shapes are computed from: Shape, Gather, Mul, Concat and the like on short integers (and
// on reals where a size takes a way through them). Each function returns the contents of one output, or nothing if an
// input's are unknown or a number does not fit.
#include "engine/formats/onnx/shapes.h"

namespace heliolite::onnx {

// Which output is asked for, and the shapes of all.
struct Folded {
  std::size_t output = 0;
  const Shapes& shapes;

  const Shape& shape() const { return shapes[output]; }
};

// fold_shapes.cpp: elements that are moved
ContentsPtr fold_same(Call& call, const Folded& folded);  // input 0 in another shape
ContentsPtr fold_transpose(Call& call, const Folded& folded);
ContentsPtr fold_slice(Call& call, const Folded& folded);
ContentsPtr fold_gather(Call& call, const Folded& folded);
ContentsPtr fold_expand(Call& call, const Folded& folded);
ContentsPtr fold_tile(Call& call, const Folded& folded);
ContentsPtr fold_concat(Call& call, const Folded& folded);
ContentsPtr fold_split(Call& call, const Folded& folded);
// Where each element of a tensor of shape `out` is in one of shape `in` that is stretched to it.
std::vector<std::size_t> stretched(const Shape& in, const Shape& out);
// The coordinates of element `i`.
Shape coordinates(std::size_t i, const Shape& shape);

// fold.cpp: elements that are computed
ContentsPtr fold_unary(Call& call, const Folded& folded);
ContentsPtr fold_binary(Call& call, const Folded& folded);  // also Min, Max, Sum of more than two inputs
ContentsPtr fold_where(Call& call, const Folded& folded);
ContentsPtr fold_cast(Call& call, const Folded& folded);
ContentsPtr fold_reduce(Call& call, const Folded& folded);

// fold_shapes.cpp: elements that come from shapes and attributes
ContentsPtr fold_shape(Call& call, const Folded& folded);
ContentsPtr fold_size(Call& call, const Folded& folded);
ContentsPtr fold_filled(Call& call, const Folded& folded);
ContentsPtr fold_range(Call& call, const Folded& folded);
ContentsPtr fold_non_zero(Call& call, const Folded& folded);
Shapes non_zero_shape(Call& call);
Shapes constant_shape(Call& call);
ContentsPtr fold_constant(Call& call, const Folded& folded);

// The contents of a constant of the file if it is short (1,024 elements) and of integers, booleans or reals that are
// known; none otherwise.
ContentsPtr contents_of(const TensorData& tensor);

}  // namespace heliolite::onnx

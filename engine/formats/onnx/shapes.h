#pragma once
// Shapes of an operator's outputs from those of its inputs, and the contents of constants that shapes are computed
// from.
#include <vector>

#include "engine/formats/onnx/call.h"

namespace heliolite::onnx {

// Shapes of an operator's outputs from those of its inputs: a function for every group of operators. Each returns the
// shapes that it knows, by output; nothing after Call::fail().

using Shapes = std::vector<Shape>;

// shapes.cpp
Shapes same_shape(Call& call);                  // every output as input 0
Shapes broadcast_shape(Call& call);             // all inputs stretched to each other, as numpy does
Shapes dynamic_quantize_shapes(Call& call);     // as input 0, and two scalars
Shapes batch_normalization_shapes(Call& call);  // as input 0, then as the scales
Shapes layer_normalization_shapes(Call& call);  // as input 0; then mean and deviation, 1 along what is normalised
// The shape that the two are stretched to; complains where neither a size nor a 1 fits.
Shape broadcast(Call& call, const Shape& a, const Shape& b);

// shapes_layout.cpp: the same elements in another shape or order
Shapes reshape_shape(Call& call);
Shapes transpose_shape(Call& call);
Shapes flatten_shape(Call& call);
Shapes squeeze_shape(Call& call);
Shapes unsqueeze_shape(Call& call);
Shapes depth_to_space_shape(Call& call);
Shapes space_to_depth_shape(Call& call);
std::vector<std::size_t> transpose_order(Call& call, std::size_t rank);

// shapes_layout.cpp: parts, copies and joins
Shapes concat_shape(Call& call);
Shapes split_shapes(Call& call);
Shapes slice_shape(Call& call);
Shapes gather_shape(Call& call);
Shapes gather_elements_shape(Call& call);
Shapes gather_nd_shape(Call& call);
Shapes expand_shape(Call& call);
Shapes tile_shape(Call& call);
Shapes pad_shape(Call& call);
// What Slice takes of one dimension: `count` positions from `from` on, `step` apart.
struct Span {
  i64 from = 0, step = 1, count = 0;
};
std::vector<Span> slice_spans(Call& call, const Shape& shape);

// layers_conv.cpp: pooling and resizing
Shapes pool_shape(Call& call);
Shapes global_pool_shape(Call& call);
Shapes resize_shape(Call& call);
Shapes grid_sample_shape(Call& call);

// shapes.cpp: reductions, and shapes as data
Shapes reduce_shape(Call& call);
Shapes arg_shape(Call& call);  // ArgMax, ArgMin
Shapes top_k_shapes(Call& call);
Shapes shape_shape(Call& call);
Shapes scalar_shape(Call& call);
Shapes filled_shape(Call& call);  // ConstantOfShape
Shapes range_shape(Call& call);
Shapes one_hot_shape(Call& call);
Shapes random_shape(Call& call);  // attribute shape
// Which dimensions a Reduce* operator reduces.
std::vector<bool> reduced_axes(Call& call, std::size_t rank);

// Contents of constants that shapes are computed from: Shape, Gather, Mul, Concat and the like on short integers (and
// on reals where a size takes a way through them). Each function returns the contents of one output, or nothing if an
// input's are unknown or a number does not fit.

// The contents of an input; null: they are not known.
const Contents* known_contents(const Call& call, std::size_t input);

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

#include <fmt/format.h>

#include <algorithm>

#include "workloads/onnx/shapes.h"

namespace heliolite::onnx {

Shapes same_shape(Call& call) { return Shapes(call.outputs(), call.shape(0)); }

Shape broadcast(Call& call, const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape out(rank, 1);
  for (std::size_t i = 1; i <= rank; ++i) {
    const i64 x = i <= a.size() ? a[a.size() - i] : 1, y = i <= b.size() ? b[b.size() - i] : 1;
    if (x != y && x != 1 && y != 1) {
      call.fail(fmt::format("inputs of {} and {} do not fit", to_text(a), to_text(b)));
      return {};
    }
    out[rank - i] = x == 1 ? y : x;
  }
  return out;
}

Shapes broadcast_shape(Call& call) {
  // Before opset 7, `broadcast` and `axis` said how input 1 fits to input 0, whose shape it never changes.
  if (call.opset() < 7 && call.has("broadcast")) return {call.shape(0)};
  Shape out = call.shape(0);
  for (std::size_t i = 1; i < call.inputs() && call.ok(); ++i)
    if (call.input(i) != nullptr) out = broadcast(call, out, call.shape(i));
  return {out};
}

Shapes dynamic_quantize_shapes(Call& call) { return {call.shape(0), {}, {}}; }

Shapes batch_normalization_shapes(Call& call) {
  Shapes shapes{call.shape(0)};
  for (std::size_t i = 1; i < call.outputs(); ++i) shapes.push_back(call.shape(1));
  return shapes;
}

Shapes layer_normalization_shapes(Call& call) {
  const Shape& in = call.shape(0);
  const std::size_t axis = call.axis(call.integer("axis", -1), in.size());
  if (!call.ok()) return {};
  Shape one = in;
  std::fill(one.begin() + static_cast<std::ptrdiff_t>(axis), one.end(), 1);
  Shapes shapes{in};
  // Output 3, of those that add a second input first, is their sum.
  for (std::size_t i = 1; i < call.outputs(); ++i) shapes.push_back(i < 3 ? one : in);
  return shapes;
}

}  // namespace heliolite::onnx

// Shapes of elementwise operators and of reductions (shapes.h).
#include "engine/formats/onnx/shapes.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

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
  std::fill(one.begin() + axis, one.end(), 1);
  Shapes shapes{in};
  // Output 3, of those that add a second input first, is their sum.
  for (std::size_t i = 1; i < call.outputs(); ++i) shapes.push_back(i < 3 ? one : in);
  return shapes;
}

std::vector<bool> reduced_axes(Call& call, std::size_t rank) {
  const bool sum = call.op() == "ReduceSum";
  const std::optional<std::vector<i64>> given = call.integers_moved("axes", 1, sum ? 13 : 18);
  if (given && !given->empty()) return call.axes(*given, rank);
  return std::vector<bool>(rank, call.integer("noop_with_empty_axes", 0) == 0);
}

Shapes reduce_shape(Call& call) {
  const Shape& in = call.shape(0);
  const std::vector<bool> reduced = reduced_axes(call, in.size());
  const bool keep = call.integer("keepdims", 1) != 0;
  Shape out;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!reduced[i] || keep) out.push_back(reduced[i] ? 1 : in[i]);
  return {out};
}

Shapes arg_shape(Call& call) {
  Shape out = call.shape(0);
  const std::size_t axis = call.axis(call.integer("axis", 0), out.size());
  if (!call.ok()) return {};
  if (call.integer("keepdims", 1) != 0) out[axis] = 1;
  else out.erase(out.begin() + axis);
  return {out};
}

Shapes top_k_shapes(Call& call) {
  Shape out = call.shape(0);
  const std::size_t axis = call.axis(call.integer("axis", -1), out.size());
  std::optional<std::vector<i64>> k;
  if (call.opset() < 10) k = std::vector<i64>{call.integer("k", -1)};
  else k = call.integers_of(1);
  if (call.ok() && (!k || k->size() != 1 || k->front() < 0 || k->front() > out[axis])) call.fail("k does not fit");
  if (!call.ok()) return {};
  out[axis] = k->front();
  return {out, out};
}

Shapes shape_shape(Call& call) {
  const i64 rank = static_cast<i64>(call.shape(0).size());
  const auto position = [&](std::string_view attribute, i64 fallback) {
    const i64 given = call.integer(attribute, fallback);
    return std::clamp<i64>(given < 0 ? std::max(given, -rank) + rank : given, 0, rank);
  };
  return {{std::max<i64>(position("end", rank) - position("start", 0), 0)}};
}

Shapes scalar_shape(Call& call) { return Shapes(call.outputs()); }

namespace {

Shapes stated_shape(Call& call, const std::optional<Shape>& wanted) {
  if (call.ok() && !wanted) call.fail("no shape is given");
  if (!call.ok()) return {};
  return {*wanted};
}

}  // namespace

Shapes filled_shape(Call& call) { return stated_shape(call, call.integers_of(0)); }
Shapes random_shape(Call& call) { return stated_shape(call, call.integers("shape")); }

Shapes range_shape(Call& call) {
  double ends[3] = {0, 0, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    const TensorFacts* value = call.input(i);
    if (value == nullptr || !value->contents || value->contents->size() != 1) {
      call.fail(value != nullptr && !value->why_unknown.empty() ? value->why_unknown
                                                                : "the shape depends on data: a range without ends");
      return {};
    }
    ends[i] = value->contents->real ? value->contents->reals[0] : static_cast<double>(value->contents->integers[0]);
  }
  const double count = ends[2] == 0 ? 0 : std::ceil((ends[1] - ends[0]) / ends[2]);
  if (!(count <= static_cast<double>(kMaxSize))) call.fail("a range too long");
  if (!call.ok()) return {};
  return {{count > 0 ? static_cast<i64>(count) : 0}};
}

Shapes one_hot_shape(Call& call) {
  Shape out = call.shape(0);
  const std::optional<std::vector<i64>> depth = call.integers_of(1);
  const std::size_t axis = call.axis(call.integer("axis", -1), out.size() + 1);
  if (call.ok() && (!depth || depth->size() != 1)) call.fail("depth is no integer");
  if (!call.ok()) return {};
  out.insert(out.begin() + axis, depth->front());
  return {out};
}

}  // namespace heliolite::onnx

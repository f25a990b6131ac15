#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/base/integers.h"
#include "workloads/onnx/shapes.h"

namespace heliolite::onnx {

Shapes concat_shape(Call& call) {
  Shape out = call.shape(0);
  const std::size_t axis = call.axis(call.integer("axis", call.opset() < 4 ? 1 : 0), out.size());
  for (std::size_t i = 1; i < call.inputs() && call.ok(); ++i) {
    const Shape& in = call.shape(i);
    bool fits = in.size() == out.size();
    for (std::size_t d = 0; d < out.size() && fits; ++d) fits = d == axis || in[d] == out[d];
    if (!call.ok()) break;
    if (!fits) {
      call.fail(fmt::format("inputs of {} and {} do not fit along axis {}", to_text(out), to_text(in), axis));
      break;
    }
    out[axis] += in[axis];
  }
  return {out};
}

Shapes split_shapes(Call& call) {
  const Shape& in = call.shape(0);
  const std::size_t axis = call.axis(call.integer("axis", 0), in.size());
  const std::size_t outputs = call.outputs();
  const std::optional<std::vector<i64>> given = call.integers_moved("split", 1, 13);
  if (!call.ok() || outputs == 0) return {};
  std::vector<i64> sizes;
  if (given) {
    sizes = *given;
  } else {
    const i64 parts = static_cast<i64>(outputs), part = (in[axis] + parts - 1) / parts;
    for (i64 i = 0; i < parts; ++i) sizes.push_back(std::clamp<i64>(in[axis] - i * part, 0, part));
  }
  i64 total = 0;
  for (const i64 size : sizes) total = size < 0 || size > kMaxSize || total > kMaxSize ? -1 : total + size;
  if (sizes.size() != outputs || total != in[axis]) {
    call.fail(fmt::format("{} sizes for {} outputs of dimension {} of {}", sizes.size(), outputs, axis, to_text(in)));
    return {};
  }
  Shapes shapes(outputs, in);
  for (std::size_t i = 0; i < outputs; ++i) shapes[i][axis] = sizes[i];
  return shapes;
}

std::vector<Span> slice_spans(Call& call, const Shape& shape) {
  std::vector<Span> spans;
  for (const i64 size : shape) spans.push_back({0, 1, size});
  const auto starts = call.integers_moved("starts", 1, 10), ends = call.integers_moved("ends", 2, 10);
  const auto axes = call.integers_moved("axes", 3, 10);
  const auto steps = call.opset() >= 10 ? call.integers_of(4) : std::nullopt;
  if (call.ok() && (!starts || !ends || starts->size() != ends->size() || (axes && axes->size() != starts->size()) ||
                    (steps && steps->size() != starts->size())))
    call.fail("starts, ends, axes and steps are not equally many");
  for (std::size_t i = 0; call.ok() && i < starts->size(); ++i) {
    const std::size_t d = call.axis(axes ? (*axes)[i] : static_cast<i64>(i), shape.size());
    const i64 step = steps ? (*steps)[i] : 1;
    if (call.ok() && (step == 0 || step > kMaxSize || step < -kMaxSize)) call.fail(fmt::format("a step of {}", step));
    if (!call.ok()) break;
    const i64 size = shape[d];
    // Positions from the end, then within what the step can start and end at.
    const auto bound = [&](i64 position, i64 low, i64 high) {
      return std::clamp(position < 0 && position >= -size ? position + size : std::max<i64>(position, -1), low, high);
    };
    const bool below = (*ends)[i] < -size;  // before the first position
    const i64 from = step > 0 ? ((*starts)[i] < -size ? 0 : bound((*starts)[i], 0, size))
                              : ((*starts)[i] < -size ? -1 : bound((*starts)[i], -1, size - 1));
    const i64 to = step > 0 ? (below ? 0 : bound((*ends)[i], 0, size)) : (below ? -1 : bound((*ends)[i], -1, size - 1));
    const i64 distance = step > 0 ? to - from : from - to;
    const i64 stride = std::max<i64>(std::abs(step), 1);
    spans[d] = {from, step, distance > 0 ? (distance + stride - 1) / stride : 0};
  }
  return spans;
}

Shapes slice_shape(Call& call) {
  Shape out;
  for (const Span& span : slice_spans(call, call.shape(0))) out.push_back(span.count);
  return {out};
}

Shapes gather_shape(Call& call) {
  const Shape &data = call.shape(0), &indices = call.shape(1);
  const std::size_t axis = call.axis(call.integer("axis", 0), data.size());
  if (!call.ok()) return {};
  const auto middle = data.begin() + static_cast<std::ptrdiff_t>(axis);
  Shape out(data.begin(), middle);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), middle + 1, data.end());
  return {out};
}

Shapes gather_elements_shape(Call& call) { return {call.shape(1)}; }

Shapes gather_nd_shape(Call& call) {
  const Shape &data = call.shape(0), &indices = call.shape(1);
  const i64 batch = call.integer("batch_dims", 0);
  if (call.ok() && (indices.empty() || batch < 0 || batch >= static_cast<i64>(indices.size()) ||
                    batch + indices.back() > static_cast<i64>(data.size())))
    call.fail(fmt::format("indices of {} for {}", to_text(indices), to_text(data)));
  if (!call.ok()) return {};
  Shape out(indices.begin(), indices.end() - 1);
  out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(batch + indices.back()), data.end());
  return {out};
}

Shapes expand_shape(Call& call) {
  const std::optional<std::vector<i64>> wanted = call.integers_of(1);
  if (call.ok() && !wanted) call.fail("no shape is given");
  for (std::size_t i = 0; call.ok() && i < wanted->size(); ++i)
    if ((*wanted)[i] < 0 || (*wanted)[i] > kMaxSize) call.fail(fmt::format("a shape with a size of {}", (*wanted)[i]));
  if (!call.ok()) return {};
  return {broadcast(call, call.shape(0), *wanted)};
}

Shapes tile_shape(Call& call) {
  Shape out = call.shape(0);
  const std::optional<std::vector<i64>> repeats = call.integers_of(1);
  if (call.ok() && (!repeats || repeats->size() != out.size())) call.fail("repeats do not fit the dimensions");
  for (std::size_t i = 0; call.ok() && i < out.size(); ++i) {
    const i64 times = (*repeats)[i];
    if (times < 0 || times > kMaxSize) call.fail(fmt::format("repeats = {}", times));
    if (call.ok()) out[i] *= times;
  }
  return {out};
}

Shapes pad_shape(Call& call) {
  Shape out = call.shape(0);
  const std::optional<std::vector<i64>> pads = call.integers_moved(call.opset() < 2 ? "paddings" : "pads", 1, 11);
  std::vector<i64> axes;
  for (std::size_t i = 0; i < out.size(); ++i) axes.push_back(static_cast<i64>(i));
  if (call.opset() >= 18 && call.input(3) != nullptr) axes = call.integers_of(3).value_or(axes);
  if (call.ok() && (!pads || pads->size() != 2 * axes.size()))
    call.fail(fmt::format("{} pads for {} dimensions", pads ? pads->size() : 0, axes.size()));
  for (std::size_t i = 0; call.ok() && i < axes.size(); ++i) {
    const std::size_t d = call.axis(axes[i], out.size());
    const i64 before = (*pads)[i], after = (*pads)[i + axes.size()];
    if (std::min(before, after) < -kMaxSize || std::max(before, after) > kMaxSize)
      call.fail(fmt::format("pads of {} and {}", before, after));
    if (!call.ok()) break;
    out[d] += before + after;
    if (out[d] < 0) call.fail(fmt::format("pads leave {} positions of dimension {}", out[d], d));
  }
  return {out};
}

}  // namespace heliolite::onnx

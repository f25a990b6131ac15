// Shapes of operators that move elements: reshapes, transposes, slices, concatenations (shapes.h).
#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>

#include "engine/base/mapped.h"
#include "engine/formats/onnx/shapes.h"

namespace heliolite::onnx {

Shapes reshape_shape(Call& call) {
  const Shape& in = call.shape(0);
  const std::optional<std::vector<i64>> wanted = call.integers_moved("shape", 1, 5);
  if (call.ok() && !wanted) call.fail("no shape is given");
  if (!call.ok()) return {};
  const bool zero_copies = call.integer("allowzero", 0) == 0;
  Shape out = *wanted;
  std::size_t open = out.size();  // position of the size to be computed
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && zero_copies && i < in.size()) out[i] = in[i];
    if (out[i] == -1 && open == out.size()) {
      open = i;
      out[i] = 1;
    }
    if (out[i] < 0 || out[i] > kMaxSize) {
      call.fail(fmt::format("a shape with a size of {}", out[i]));
      return {};
    }
  }
  const i64 have = elements(in), fixed = elements(out);
  if (open < out.size()) out[open] = fixed == 0 ? 0 : have / fixed;
  if (elements(out) != have) {
    call.fail(fmt::format("{} has {} elements, {} has not", to_text(in), have, to_text(out)));
    return {};
  }
  return {out};
}

std::vector<std::size_t> transpose_order(Call& call, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  const std::optional<std::vector<i64>> given = call.integers("perm");
  std::vector<bool> seen(rank, false);
  if (given && given->size() != rank) call.fail(fmt::format("perm has {} entries for {}", given->size(), rank));
  for (std::size_t i = 0; i < rank && call.ok(); ++i) {
    order[i] = given ? call.axis((*given)[i], rank) : rank - 1 - i;
    if (seen[order[i]]) call.fail("perm names a dimension twice");
    seen[order[i]] = true;
  }
  return order;
}

Shapes transpose_shape(Call& call) {
  const Shape& in = call.shape(0);
  const std::vector<std::size_t> order = transpose_order(call, in.size());
  if (!call.ok()) return {};
  return {mapped(order, [&](const std::size_t from) { return in[from]; })};
}

Shapes flatten_shape(Call& call) {
  const Shape& in = call.shape(0);
  const i64 given = call.integer("axis", 1);
  const i64 rank = static_cast<i64>(in.size());
  if (given < -rank || given > rank) call.fail(fmt::format("axis {} of {}", given, to_text(in)));
  if (!call.ok()) return {};
  const auto middle = in.begin() + (given < 0 ? given + rank : given);
  return {{elements(Shape(in.begin(), middle)), elements(Shape(middle, in.end()))}};
}

Shapes squeeze_shape(Call& call) {
  const Shape& in = call.shape(0);
  const std::optional<std::vector<i64>> given = call.integers_moved("axes", 1, 13);
  std::vector<bool> drop(in.size());
  if (given) {
    drop = call.axes(*given, in.size());
  } else {
    for (std::size_t i = 0; i < in.size(); ++i) drop[i] = in[i] == 1;
  }
  Shape out;
  for (std::size_t i = 0; i < in.size() && call.ok(); ++i) {
    if (!drop[i]) out.push_back(in[i]);
    if (drop[i] && in[i] != 1) call.fail(fmt::format("dimension {} of {} is not 1", i, to_text(in)));
  }
  return {out};
}

Shapes unsqueeze_shape(Call& call) {
  const Shape& in = call.shape(0);
  const std::optional<std::vector<i64>> given = call.integers_moved("axes", 1, 13);
  if (call.ok() && !given) call.fail("no axes are given");
  if (!call.ok()) return {};
  const std::size_t rank = in.size() + given->size();
  if (rank > 64) call.fail("too many axes");
  const std::vector<bool> added = call.axes(*given, rank);
  if (call.ok() && std::ranges::count(added, true) != static_cast<std::ptrdiff_t>(given->size()))
    call.fail("axes has an entry twice");
  if (!call.ok()) return {};
  Shape out;
  for (std::size_t i = 0, from = 0; i < rank; ++i) out.push_back(added[i] ? 1 : in[from++]);
  return {out};
}

Shapes depth_to_space_shape(Call& call) {
  const Shape& in = call.shape(0, 4);
  const i64 block = call.integer("blocksize", 0);
  if (!call.ok()) return {};
  if (block < 1 || block > 4096 || in[1] % (block * block) != 0) {
    call.fail(fmt::format("blocksize = {} of {} channels", block, in[1]));
    return {};
  }
  return {{in[0], in[1] / (block * block), in[2] * block, in[3] * block}};
}

Shapes space_to_depth_shape(Call& call) {
  const Shape& in = call.shape(0, 4);
  const i64 block = call.integer("blocksize", 0);
  if (!call.ok()) return {};
  if (block < 1 || block > 4096 || in[2] % block != 0 || in[3] % block != 0) {
    call.fail(fmt::format("blocksize = {} of {}", block, to_text(in)));
    return {};
  }
  return {{in[0], in[1] * block * block, in[2] / block, in[3] / block}};
}

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
  std::vector<Span> spans = mapped(shape, [&](const i64 size) { return Span{0, 1, size}; });
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

Shapes slice_shape(Call& call) { return {mapped(slice_spans(call, call.shape(0)), &Span::count)}; }

Shapes gather_shape(Call& call) {
  const Shape &data = call.shape(0), &indices = call.shape(1);
  const std::size_t axis = call.axis(call.integer("axis", 0), data.size());
  if (!call.ok()) return {};
  const auto middle = data.begin() + axis;
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
  out.insert(out.end(), data.begin() + (batch + indices.back()), data.end());
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

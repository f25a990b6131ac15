// Where a window goes over the lines and columns of an image: kernel, strides, dilations and borders of convolutions
// and poolings, in any number of directions.
#include "engine/formats/onnx/layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/onnx/shapes.h"

namespace heliolite::onnx {

Shape image_of(const Shape& shape) { return shape.size() < 2 ? Shape() : Shape(shape.begin() + 2, shape.end()); }

Windows windows_over(Call& call, const Shape& image, const std::vector<i64>& kernel, bool up) {
  const std::size_t n = image.size();
  Windows w{
      kernel, call.integers("strides", n, 1, 1), call.integers("dilations", n, 1, 1), std::vector<i64>(2 * n, 0), {}};
  const std::string_view mode = call.text("auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!same && mode != "VALID" && mode != "NOTSET" && !mode.empty())
    call.fail(fmt::format("auto_pad = {}, must be NOTSET, VALID, SAME_UPPER or SAME_LOWER", shortened(mode)));
  if (!same && mode != "VALID") w.pads = call.integers("pads", 2 * n, -kMaxSize, 0);
  for (std::size_t i = 0; i < n && call.ok(); ++i) {
    const i64 window = w.dilations[i] * (kernel[i] - 1) + 1;
    const i64 stride = w.strides[i];
    if (same) {
      w.out.push_back((image[i] + stride - 1) / stride);
      continue;
    }
    const i64 room = image[i] + w.pads[i] + w.pads[i + n] - window;
    if (kernel[i] < 1 || room < 0) {
      call.fail(fmt::format("no output: a window of {} (kernel {}, dilation {}) over {} positions, border included",
                            window, kernel[i], w.dilations[i], room + window));
      break;
    }
    i64 out = room / stride + 1;
    // A window that hangs over begins within the image or its border before.
    if (up && room % stride != 0 && out * stride < image[i] + w.pads[i]) ++out;
    w.out.push_back(out);
  }
  w.out.resize(n, 1);
  return w;
}

namespace {

// `in` with each size times its factor, rounded down.
Shape scaled(Call& call, const Shape& in, const std::vector<double>& factors, const std::vector<i64>& axes) {
  Shape out = in;
  if (factors.size() != axes.size()) call.fail(fmt::format("{} scales for {} dimensions", factors.size(), axes.size()));
  for (std::size_t i = 0; i < axes.size() && call.ok(); ++i) {
    const std::size_t d = call.axis(axes[i], in.size());
    const double size = std::floor(static_cast<double>(in.empty() ? 0 : in[d]) * factors[i]);
    if (!(size >= 0 && size <= static_cast<double>(kMaxSize))) call.fail(fmt::format("a scale of {}", factors[i]));
    if (call.ok()) out[d] = static_cast<i64>(size);
  }
  return out;
}

// The scales, from an attribute or an input; none if the input is absent or empty.
std::optional<std::vector<double>> scales(Call& call, std::size_t input) {
  if (const Attribute* a = call.find("scales")) return a->floats;
  const TensorFacts* value = call.input(input);
  if (value == nullptr || (value->shape && elements(*value->shape) == 0)) return std::nullopt;
  if (value->contents && value->contents->real) return value->contents->reals;
  call.fail(fmt::format("the shape depends on data: scales '{}' are not known", value->name));
  return std::nullopt;
}

}  // namespace

Shapes pool_shape(Call& call) {
  const Shape& in = call.shape(0);
  if (call.ok() && in.size() < 3) call.fail(fmt::format("an input of {}", to_text(in)));
  const Shape image = image_of(in);
  const std::optional<std::vector<i64>> kernel = call.integers("kernel_shape");
  if (call.ok() && (!kernel || kernel->size() != image.size())) call.fail("kernel_shape does not fit the input");
  for (std::size_t i = 0; call.ok() && i < kernel->size(); ++i)
    if ((*kernel)[i] < 1 || (*kernel)[i] > kMaxSize) call.fail(fmt::format("kernel_shape has a {}", (*kernel)[i]));
  if (!call.ok()) return {};
  const Windows windows = windows_over(call, image, *kernel, call.integer("ceil_mode", 0) != 0);
  Shape out(in.begin(), in.begin() + 2);
  out.insert(out.end(), windows.out.begin(), windows.out.end());
  return Shapes(std::max<std::size_t>(call.outputs(), 1), out);
}

Shapes global_pool_shape(Call& call) {
  Shape out = call.shape(0);
  for (std::size_t i = 2; i < out.size(); ++i) out[i] = 1;
  return {out};
}

Shapes resize_shape(Call& call) {
  const Shape& in = call.shape(0);
  std::vector<i64> axes;
  if (const auto given = call.integers("axes")) {
    axes = *given;
  } else {
    for (std::size_t i = 0; i < in.size(); ++i) axes.push_back(static_cast<i64>(i));
  }
  // Upsample: scales at input 1. Resize: opset 10 likewise, since 11 roi, scales and sizes.
  const bool sized = call.op() == "Resize" && call.opset() >= 11;
  const std::optional<std::vector<double>> factors = scales(call, sized ? 2 : 1);
  if (!call.ok()) return {};
  if (factors) return {scaled(call, in, *factors, axes)};
  const std::optional<std::vector<i64>> sizes = sized ? call.integers_of(3) : std::nullopt;
  if (call.ok() && (!sizes || sizes->size() != axes.size())) call.fail("neither scales nor sizes fit the input");
  if (!call.ok()) return {};
  Shape out = in;
  const std::string_view policy = call.text("keep_aspect_ratio_policy", "stretch");
  double scale = policy == "not_smaller" ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < axes.size() && call.ok(); ++i) {
    const std::size_t d = call.axis(axes[i], in.size());
    if (!call.ok() || (*sizes)[i] < 0 || (*sizes)[i] > kMaxSize) {
      call.fail(fmt::format("sizes has a {}", (*sizes)[i]));
      break;
    }
    out[d] = (*sizes)[i];
    const double own = static_cast<double>(out[d]) / static_cast<double>(std::max<i64>(in[d], 1));
    scale = policy == "not_smaller" ? std::max(scale, own) : std::min(scale, own);
  }
  if (policy == "stretch" || !call.ok()) return {out};
  for (const i64 a : axes) {
    const std::size_t d = call.axis(a, in.size());
    out[d] = std::llround(scale * static_cast<double>(in[d]));
  }
  return {out};
}

Shapes grid_sample_shape(Call& call) {
  const Shape &in = call.shape(0), &grid = call.shape(1);
  if (call.ok() && (in.size() < 3 || grid.size() != in.size())) call.fail("input and grid do not fit");
  if (!call.ok()) return {};
  Shape out{in[0], in[1]};
  out.insert(out.end(), grid.begin() + 1, grid.end() - 1);
  return {out};
}

}  // namespace heliolite::onnx

// Convolutions and transposed convolutions as Einsums, and the windows of all operators that have them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/formats/onnx/layers.h"
#include "engine/formats/onnx/shapes.h"
#include "engine/formats/onnx/words.h"

namespace heliolite::onnx {

Shape image_of(const Shape& shape) { return shape.size() < 2 ? Shape() : Shape(shape.begin() + 2, shape.end()); }

namespace {

// The windows over `image` (the sizes of the directions); complains if an attribute does not fit or if there is no room
// for one. `up`: a window may hang over the end, as with ceil_mode.
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

namespace {

struct Convolution {
  Shape in, weights;  // N, C, image; K, C / groups, kernel
  i64 groups = 1;
  Windows windows;
};

std::size_t weights_input(const Call& call) { return call.op().starts_with("QLinear") ? 3 : 1; }

// The kernel is the weights'; an attribute kernel_shape may only repeat it.
void check_kernel(Call& call, const std::vector<i64>& kernel) {
  const auto given = call.integers("kernel_shape");
  if (call.ok() && given && *given != kernel)
    call.fail(fmt::format("kernel_shape does not fit the weights, which are {} wide", to_text(kernel)));
}

Convolution convolution(Call& call) {
  Convolution c{call.shape(0), call.shape(weights_input(call)), call.integer("group", 1), {}};
  if (call.ok() && (c.in.size() < 3 || c.weights.size() != c.in.size()))
    call.fail(fmt::format("an input of {} and weights of {}", to_text(c.in), to_text(c.weights)));
  if (call.ok() && c.in.size() > 5) call.fail(fmt::format("{} spatial dimensions, must be 1 to 3", c.in.size() - 2));
  if (!call.ok()) return c;
  if (c.groups < 1 || c.in[1] % c.groups != 0 || c.weights[0] % c.groups != 0 || c.in[1] / c.groups != c.weights[1])
    call.fail(
        fmt::format("group = {} of an input of {} channels and weights of {}", c.groups, c.in[1], to_text(c.weights)));
  const Shape kernel = image_of(c.weights);
  check_kernel(call, kernel);
  if (call.ok()) c.windows = windows_over(call, image_of(c.in), kernel, false);
  return c;
}

// Images of this shape: a batch, channels (of groups, where there are several), and lines of each direction.
Layout image_layout(const Workload& w, const Shape& shape, const char* channels, bool lower_case, i64 groups) {
  const auto letter = [&](const char* upper, const char* lower) { return std::string(lower_case ? lower : upper); };
  Layout parts{{letter("N", "n"), shape[0]}};
  const std::string group = letter("G", "g");
  const bool grouped = w.find_dimension(group).has_value();
  if (grouped) parts.push_back({group, groups});
  parts.push_back({channels, grouped ? shape[1] / groups : shape[1]});
  static constexpr const char *kUpper[] = {"Z", "Q", "P"}, *kLower[] = {"z", "y", "x"};
  for (std::size_t d = 2; d < shape.size(); ++d) {
    const std::size_t direction = 3 + d - shape.size();
    parts.push_back({letter(kUpper[direction], kLower[direction]), shape[d]});
  }
  return layout_of(std::move(parts));
}

// Without output channels (depthwise) the channels are those of the input.
void add_layouts(const Call& call, const Convolution& c, Drafts& drafts, bool lower_case) {
  if (!call.ok()) return;
  for (LayerDraft& draft : drafts) {
    const char *in = lower_case ? "c" : "C", *out = lower_case ? "k" : "K";
    if (!draft.workload.find_dimension(out)) out = in;
    Shape made{c.in[0], c.weights[0]};
    made.insert(made.end(), c.windows.out.begin(), c.windows.out.end());
    draft.operands[0].read = image_layout(draft.workload, c.in, in, lower_case, c.groups);
    draft.written = image_layout(draft.workload, made, out, lower_case, c.groups);
  }
}

// Three directions have no family: "z+u" of depth, height and width.
Drafts conv3d(Call& call, const Convolution& c, std::vector<Operand> operands) {
  const Windows& w = c.windows;
  static constexpr const char *kPixels[] = {"z", "y", "x"}, *kTaps[] = {"u", "t", "s"};
  const bool grouped = c.groups > 1;
  std::string ranks;
  Parameters sizes{{"n", c.in[0]}, {"k", c.weights[0] / c.groups}, {"c", c.weights[1]}};
  if (grouped) sizes.emplace_back("g", c.groups);
  for (std::size_t i = 0; i < 3; ++i) {
    ranks += fmt::format(",{}*{}+{}*{}", w.strides[i], kPixels[i], w.dilations[i], kTaps[i]);
    sizes.emplace_back(kPixels[i], w.out[i]);
    sizes.emplace_back(kTaps[i], w.kernel[i]);
  }
  const char* g = grouped ? "g," : "";
  operands[0].tensor = "i";
  operands[1].tensor = "w";
  Drafts drafts = einsum_draft(call, fmt::format("o[n,{0}k,z,y,x] += w[{0}k,c,u,t,s]*i[n,{0}c{1}]", g, ranks), sizes,
                               std::move(operands));
  add_layouts(call, c, drafts, true);
  return drafts;
}

}  // namespace

Shapes conv_shape(Call& call) {
  const Convolution c = convolution(call);
  if (!call.ok()) return {};
  Shape out{c.in[0], c.weights[0]};
  out.insert(out.end(), c.windows.out.begin(), c.windows.out.end());
  return {out};
}

Drafts conv_layers(Call& call) {
  const Convolution c = convolution(call);
  if (!call.ok()) return {};
  std::vector<Operand> operands{{"Inputs", call.input(0)}, {"Weights", call.input(weights_input(call))}};
  const Windows& w = c.windows;
  if (w.out.size() == 3) return conv3d(call, c, std::move(operands));
  // ONNX lists height first. A line is an image of height 1.
  const std::size_t x = w.out.size() - 1;
  const bool line = x == 0;
  Parameters p{{"n", c.in[0]},
               {"k", c.weights[0]},
               {"c", c.in[1]},
               {"p", w.out[x]},
               {"q", line ? 1 : w.out[0]},
               {"r", w.kernel[x]},
               {"s", line ? 1 : w.kernel[0]},
               {"wstride", w.strides[x]},
               {"hstride", line ? 1 : w.strides[0]},
               {"wdilation", w.dilations[x]},
               {"hdilation", line ? 1 : w.dilations[0]},
               {"groups", c.groups}};
  Drafts drafts = family_draft(call, "conv", p, std::move(operands));
  add_layouts(call, c, drafts, false);
  return drafts;
}

namespace {

struct Transposed {
  Shape in, weights;  // N, C, image; C, K / groups, kernel
  i64 groups = 1;
  std::vector<i64> strides, dilations;
};

Transposed transposed(Call& call) {
  Transposed t{call.shape(0), call.shape(1), call.integer("group", 1), {}, {}};
  if (call.ok() && (t.in.size() < 3 || t.in.size() > 5 || t.weights.size() != t.in.size()))
    call.fail(fmt::format("an input of {} and weights of {}", to_text(t.in), to_text(t.weights)));
  if (!call.ok()) return t;
  if (t.groups < 1 || t.in[1] % t.groups != 0 || t.weights[0] != t.in[1])
    call.fail(fmt::format("group = {} of {} channels and weights of {}", t.groups, t.in[1], to_text(t.weights)));
  const std::size_t n = t.in.size() - 2;
  t.strides = call.integers("strides", n, 1, 1);
  t.dilations = call.integers("dilations", n, 1, 1);
  const auto kernel = call.integers("kernel_shape");
  if (call.ok() && kernel && *kernel != image_of(t.weights)) call.fail("kernel_shape does not fit the weights");
  return t;
}

}  // namespace

Shapes conv_transpose_shape(Call& call) {
  const Transposed t = transposed(call);
  if (!call.ok()) return {};
  const std::size_t n = t.in.size() - 2;
  const std::string_view mode = call.text("auto_pad", "NOTSET");
  const std::vector<i64> pads = call.integers("pads", 2 * n, -kMaxSize, 0);
  const std::vector<i64> more = call.integers("output_padding", n, 0, 0);
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!same && mode != "NOTSET" && mode != "VALID") call.fail(fmt::format("auto_pad = {}", shortened(mode)));
  const auto given = call.integers("output_shape");
  Shape out{t.in[0], t.weights[1] * t.groups};
  if (given && given->size() != n && given->size() != n + 2) call.fail("output_shape does not fit the input");
  for (std::size_t i = 0; call.ok() && i < n; ++i) {
    const i64 full = (t.in[i + 2] - 1) * t.strides[i] + t.dilations[i] * (t.weights[i + 2] - 1) + 1 + more[i];
    if (given) out.push_back((*given)[i + given->size() - n]);
    else if (same) out.push_back(t.in[i + 2] * t.strides[i]);
    else out.push_back(mode == "VALID" ? full : full - pads[i] - pads[i + n]);
    if (out.back() < 1) call.fail(fmt::format("no output: {} positions", out.back()));
  }
  return {out};
}

Drafts conv_transpose_layers(Call& call) {
  const Transposed t = transposed(call);
  if (!call.ok()) return {};
  const std::size_t n = t.in.size() - 2;
  static constexpr const char *kPixels[] = {"z", "y", "x"}, *kTaps[] = {"u", "t", "s"};
  const bool grouped = t.groups > 1;
  Parameters sizes{{"n", t.in[0]}, {"k", t.weights[1]}, {"c", t.in[1] / t.groups}};
  if (grouped) sizes.emplace_back("g", t.groups);
  std::string written, taps, pixels;
  for (std::size_t i = 0; i < n; ++i) {
    const char *pixel = kPixels[3 - n + i], *tap = kTaps[3 - n + i];
    written += fmt::format(",{}*{}+{}*{}", t.strides[i], pixel, t.dilations[i], tap);
    taps += fmt::format(",{}", tap);
    pixels += fmt::format(",{}", pixel);
    sizes.emplace_back(pixel, t.in[i + 2]);
    sizes.emplace_back(tap, t.weights[i + 2]);
  }
  const char* g = grouped ? "g," : "";
  return einsum_draft(call, fmt::format("o[n,{0}k{1}] += w[{0}c,k{2}]*i[n,{0}c{3}]", g, written, taps, pixels), sizes,
                      {{"i", call.input(0)}, {"w", call.input(1)}});
}

}  // namespace heliolite::onnx

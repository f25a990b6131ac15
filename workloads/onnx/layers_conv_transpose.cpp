#include <fmt/format.h>

#include "engine/base/shortened.h"
#include "workloads/onnx/layers.h"
#include "workloads/onnx/windows.h"

namespace heliolite::onnx {
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
    if (given) {
      out.push_back((*given)[i + given->size() - n]);
    } else if (same) {
      out.push_back(t.in[i + 2] * t.strides[i]);
    } else {
      out.push_back(mode == "VALID" ? full : full - pads[i] - pads[i + n]);
    }
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

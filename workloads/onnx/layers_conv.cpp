#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/onnx/layers.h"
#include "workloads/onnx/windows.h"

namespace heliolite::onnx {
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
  return einsum_draft(call, fmt::format("o[n,{0}k,z,y,x] += w[{0}k,c,u,t,s]*i[n,{0}c{1}]", g, ranks), sizes,
                      std::move(operands));
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
  return family_draft(call, "conv", p, std::move(operands));
}

}  // namespace heliolite::onnx

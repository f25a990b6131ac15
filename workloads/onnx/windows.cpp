#include "workloads/onnx/windows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/shortened.h"

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

}  // namespace heliolite::onnx

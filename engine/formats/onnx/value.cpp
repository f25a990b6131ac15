#include "engine/formats/onnx/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heliolite::onnx {

i64 elements(const Shape& shape) {
  constexpr i64 kMany = i64{1} << 62;
  i64 count = 1;
  for (const i64 size : shape)
    if (size == 0) return 0;
  for (const i64 size : shape) {
    if (count > kMany / size) return kMany;
    count *= size;
  }
  return count;
}

std::string to_text(const Shape& shape) { return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x")); }

}  // namespace heliolite::onnx

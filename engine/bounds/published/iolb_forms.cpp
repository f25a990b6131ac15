// Lower and upper bounds in closed form as IOLB and IOUB print them, for contractions and convolutions of stride 1.
#include "engine/bounds/published/published.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/integers.h"

namespace heliolite {

std::optional<Contraction> as_contraction(const Workload& workload) {
  const AccessNest nest = access_nest(workload);
  if (nest.accesses.size() != 3 || !is_projective(nest)) return std::nullopt;
  Contraction c;
  std::array<LoopBits, 3> of{};  // output, inputs
  std::size_t inputs = 0;
  for (const Access& access : nest.accesses)
    if (access.same_array >= 0) return std::nullopt;
  for (const Access& access : nest.accesses) of[access.is_output ? 0 : ++inputs] = moving(access);
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    const bool out = contains(of[0], l), first = contains(of[1], l), second = contains(of[2], l);
    if (out + first + second != 2) return std::nullopt;
    (!second ? c.m : !first ? c.n : c.k) *= nest.loops[l].size;
    if (!out) ++c.contracted;
  }
  return c;
}

double contraction_form(const Contraction& c, double capacity) {
  const double product = 2 * c.m * c.n * (c.k - 1) / std::sqrt(capacity);
  const double form = c.contracted < 2 ? -2 + c.k - capacity + 2 * c.m + 2 * c.n + product
                                       : -3 + c.k - capacity + 3 * c.m + 3 * c.n - c.m * c.n + product;
  return std::max(c.arrays(), form);
}

std::array<double, 4> convolution_forms(const Convolution& conv, double capacity) {
  const double b = conv.batch, c = conv.in_channels, f = conv.out_channels, taps = conv.taps();
  const double x = conv.windows[0].outputs, y = conv.windows[1].outputs, out = b * f * x * y;
  const double base = -2 - capacity + c + 4 * f + b * y + b * x + 2 * b * x * y - 2 * out;
  const double root = std::sqrt(capacity);
  const auto small = [&](double copies, double size) {
    return base + 2 * out / copies * (c * std::sqrt(size) / root - 1 / std::sqrt(taps * capacity));
  };
  return {conv.image() + conv.filter() + conv.out(), base + out * (taps * c - 1) / capacity, small(1, taps),
          base + 2 * x * y * c * f * std::sqrt(b * taps) / root -
              2 * x * y * f * std::sqrt(b) / std::sqrt(taps * capacity)};
}

ContractionTilingForm contraction_tiling_form(const Contraction& c, double capacity) {
  ContractionTilingForm form{std::sqrt(capacity + 1) - 1, c.m * c.n};
  for (const auto& [a, b] : {std::pair{c.m, c.n}, {c.m, c.k}, {c.n, c.k}}) {
    if (form.extent > std::min(a, b) || (form.valid && a * b >= form.stationary)) continue;
    form.stationary = a * b;
    form.valid = true;
  }
  form.loads = 2 * c.macs() / form.extent + form.stationary;
  return form;
}

ConvolutionTilingForm convolution_tiling_form(const Convolution& conv, double capacity) {
  // x streams through a column: (HW + W + 1) e^2 + (HW - W) e = S.
  const double h = conv.windows[1].taps, w = conv.windows[0].taps, x = conv.windows[0].outputs,
               y = conv.windows[1].outputs;
  const double a = h * w + w + 1, b = h * w - w;
  ConvolutionTilingForm form;
  form.extent = (-b + std::sqrt(b * b + 4 * a * capacity)) / (2 * a);
  const double e = form.extent;
  form.loads = conv.macs() * (1 / (x * y) + 1 / (h * e * w) + (h + e - 1) * (w + x - 1) / (h * e * e * w * x));
  form.valid = e <= std::min({conv.out_channels, conv.in_channels, y});
  return form;
}

}  // namespace heliolite

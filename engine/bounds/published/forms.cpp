// Published closed forms: lower and upper bounds of contractions and of convolutions of stride 1 as IOLB and IOUB
// print them, and what a randomized product moves.
#include "engine/bounds/published/published.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/integers.h"
#include "engine/bounds/lower_bounds.h"

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

// Randomized matrix multiplication, Ahat(d x n) = S(d x m) A(m x n): the elements of S come from a generator and may be
// made anew instead of being stored. One made costs as much as moving `generation` words. Source: Dinh,
// Optimization-Based Mappers and Lower Bounds for Tensor Problems, chapter 5 (theorem 22, algorithm 10).

double sketch_bound(const Sketch& sketch, double capacity) {
  const double products = sketch.d * sketch.m * sketch.n, h = std::min(sketch.generation, 1.0);
  return std::max(2 * products * std::sqrt(h / capacity), products / capacity) - 2 * capacity;
}

SketchTiling sketch_tiling(const Sketch& sketch, double capacity) {
  const double products = sketch.d * sketch.m * sketch.n, h = std::min(sketch.generation, 1.0);
  SketchTiling tiling;
  tiling.stores = sketch.d * sketch.n + (sketch.generation > 1 ? sketch.d * sketch.m : 0);
  if (h * capacity < 1) {
    // Making S costs next to nothing: one column of Ahat, as long as an element of A leaves room for.
    tiling.rows = capacity - 1;
    tiling.cost = products / tiling.rows + h * products;
    return tiling;
  }
  tiling.rows = std::sqrt(capacity / h) - 1;
  tiling.columns = std::sqrt(capacity * h);
  tiling.cost = products / tiling.rows + h * products / tiling.columns;
  return tiling;
}

namespace {

// Sizes as whole numbers.
struct Sizes {
  explicit Sizes(const Sketch& sketch)
      : d(static_cast<u64>(sketch.d)), m(static_cast<u64>(sketch.m)), n(static_cast<u64>(sketch.n)) {}
  u64 d, m, n;
};

// Making an element costs more than moving it: each is made once, stored, and loaded from then on.
bool stores_elements(const Sketch& sketch) { return sketch.generation > 1; }

}  // namespace

double SketchCounts::cost(const Sketch& sketch) const {
  return static_cast<double>(loads) + sketch.generation * static_cast<double>(generated);
}

SketchTile sketch_tile(const Sketch& sketch, u64 capacity) {
  const Sizes sizes(sketch);
  SketchTile best;
  double least = -1;
  for (u64 columns = 1; columns <= sizes.n && 2 * columns + 1 <= capacity; ++columns) {
    const SketchTile tile{std::min((capacity - 1) / columns - 1, sizes.d), columns};
    const double cost = sketch_counts(sketch, tile).cost(sketch);
    if (least >= 0 && cost >= least) continue;
    least = cost;
    best = tile;
  }
  return best;
}

SketchCounts sketch_counts(const Sketch& sketch, const SketchTile& tile) {
  const Sizes sizes(sketch);
  const u64 uses = ceil_div(sizes.n, tile.columns) * sizes.d * sizes.m;  // of elements of S
  SketchCounts counts;
  counts.loads = ceil_div(sizes.d, tile.rows) * sizes.m * sizes.n;
  counts.generated = uses;
  counts.stores = sizes.d * sizes.n;
  if (stores_elements(sketch)) {
    counts.generated = sizes.d * sizes.m;
    counts.loads += uses - counts.generated;
    counts.stores += counts.generated;
  }
  counts.held = tile.rows * tile.columns + tile.columns + 1;
  return counts;
}

SketchProduct execute_sketch(const Sketch& sketch, const SketchTile& tile, const std::vector<double>& a,
                             const std::function<double(u64, u64)>& generate) {
  const Sizes sizes(sketch);
  SketchProduct out;
  out.ahat.resize(sizes.d * sizes.n);
  SketchCounts& counts = out.counts;
  std::vector<double> stored;  // S outside, where it is stored
  if (stores_elements(sketch)) stored.resize(sizes.d * sizes.m);
  const auto element = [&](u64 i, u64 x, bool first) {
    if (!first && !stored.empty()) return ++counts.loads, stored[i * sizes.m + x];
    ++counts.generated;
    const double s = generate(i, x);
    if (stored.empty()) return s;
    ++counts.stores;
    return stored[i * sizes.m + x] = s;
  };
  for (u64 n0 = 0; n0 < sizes.n; n0 += tile.columns) {
    const u64 columns = std::min(tile.columns, sizes.n - n0);
    for (u64 d0 = 0; d0 < sizes.d; d0 += tile.rows) {
      const u64 rows = std::min(tile.rows, sizes.d - d0);
      std::vector<double> sums(rows * columns);
      for (u64 x = 0; x < sizes.m; ++x) {
        const std::vector<double> row(a.begin() + (x * sizes.n + n0), a.begin() + (x * sizes.n + n0 + columns));
        counts.loads += columns;
        counts.held = std::max<u64>(counts.held, sums.size() + row.size() + 1);
        for (u64 i = 0; i < rows; ++i) {
          const double s = element(d0 + i, x, n0 == 0);
          for (u64 j = 0; j < columns; ++j) sums[i * columns + j] += s * row[j];
        }
      }
      for (u64 i = 0; i < rows; ++i)
        for (u64 j = 0; j < columns; ++j) out.ahat[(d0 + i) * sizes.n + n0 + j] = sums[i * columns + j];
      counts.stores += sums.size();
    }
  }
  return out;
}

}  // namespace heliolite

#include "engine/bounds/published/sketch.h"

#include <algorithm>
#include <cmath>

namespace heliolite {

double sketch_bound(const Sketch& sketch, double capacity) {
  const double products = sketch.d * sketch.m * sketch.n, h = std::min(sketch.generation, 1.0);
  return std::max(2 * products * std::sqrt(h / capacity), products / capacity) - 2 * capacity;
}

SketchTiling sketch_tiling(const Sketch& sketch, double capacity) {
  const double products = sketch.d * sketch.m * sketch.n, h = std::min(sketch.generation, 1.0);
  SketchTiling tiling;
  tiling.stores = sketch.d * sketch.n + (sketch.generation > 1 ? sketch.d * sketch.m : 0);
  if (h * capacity < 1) {
    // Making S costs next to nothing: one column of Ahat, as long as fits beside an element of A.
    tiling.rows = capacity - 1;
    tiling.cost = products / tiling.rows + h * products;
    return tiling;
  }
  tiling.rows = std::sqrt(capacity / h) - 1;
  tiling.columns = std::sqrt(capacity * h);
  tiling.cost = products / tiling.rows + h * products / tiling.columns;
  return tiling;
}

}  // namespace heliolite

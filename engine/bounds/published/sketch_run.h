#pragma once
// The algorithm of sketch.h with whole tiles, executed: every word that it loads, makes or stores is counted.
#include <functional>
#include <vector>

#include "engine/base/types.h"
#include "engine/bounds/published/sketch.h"

namespace heliolite {

// What an execution did.
struct SketchCounts {
  u64 loads = 0;      // words of A, and of S where it was stored
  u64 generated = 0;  // elements of S that were made
  u64 stores = 0;     // words of Ahat, and of S where it is stored
  u64 held = 0;       // most words inside at a time

  double cost(const Sketch& sketch) const;  // loads and generations, as sketch_bound() counts them
};

// The extents of Ahat's tile with the least cost among whole ones: beside it a row of A's tile and an element of S have
// room in `capacity` >= 3 words.
struct SketchTile {
  u64 rows = 1, columns = 1;
};
SketchTile sketch_tile(const Sketch& sketch, u64 capacity);

// Computes Ahat = S A, row-major, with sizes of the sketch. `generate(i, j)`: the element of S.
struct SketchProduct {
  std::vector<double> ahat;
  SketchCounts counts;
};
SketchProduct execute_sketch(const Sketch& sketch, const SketchTile& tile, const std::vector<double>& a,
                             const std::function<double(u64, u64)>& generate);

// The counts of execute_sketch() without the work.
SketchCounts sketch_counts(const Sketch& sketch, const SketchTile& tile);

}  // namespace heliolite

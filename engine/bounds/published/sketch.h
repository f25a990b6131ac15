#pragma once
// Randomized matrix multiplication, Ahat(d x n) = S(d x m) A(m x n): the elements of S come from a generator and may be
// made anew instead of being stored. One made costs as much as moving `generation` words. Source: Dinh,
// Optimization-Based Mappers and Lower Bounds for Tensor Problems, chapter 5 (theorem 22, algorithm 10).
#include <functional>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// The sizes of a problem.
struct Sketch {
  double d = 1, m = 1, n = 1;
  double generation = 1;  // h: words moved that cost as much as making one element of S
};

// What loads, generations and stores cost together at least, in words, with `capacity` (M) words: the larger of
// 2 d m n sqrt(min(h, 1) / M) - 2 M and d m n / M - 2 M. Loads and generations alone: d n less.
double sketch_bound(const Sketch& sketch, double capacity);

// The algorithm: a tile of Ahat stays, rows of A stream by, S is made on the fly; its loads and generations as words.
// Extents are real. With h > 1 elements of S are made once, stored, and loaded as if h were 1.
struct SketchTiling {
  double rows = 1, columns = 1;  // of the tile of Ahat
  double cost = 0;               // loads and generations, in words
  double stores = 0;             // Ahat, and S when it is stored
};
SketchTiling sketch_tiling(const Sketch& sketch, double capacity);

// The algorithm of sketch.h with whole tiles, executed: every word that it loads, makes or stores is counted.

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

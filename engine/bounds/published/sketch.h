#pragma once
// Randomized matrix multiplication, Ahat(d x n) = S(d x m) A(m x n): the elements of S come from a generator and may be
// made anew instead of being stored. One made costs as much as moving `generation` words. Source: Dinh,
// Optimization-Based Mappers and Lower Bounds for Tensor Problems, chapter 5 (theorem 22, algorithm 10).
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

}  // namespace heliolite

#pragma once
// What published algorithms move, as yardsticks for bounds and tilings.
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/types.h"
#include "engine/bounds/conv/conv_bound.h"

namespace heliolite {

// Tilings of convolutions that attain their bounds up to a constant: the lifted linear program in closed form, and the
// decision tree for stride 1. Source: Demmel and Dinh, section 5, theorem 2 and appendix A; two of its cases are mended
// (docs/bounds.md).

// Iterations of the largest lifted tile with words of one size: of the nest over B, C, K and w, r', r'' of each window,
// with r' = taps / stride.
double largest_conv_tile(const Convolution& conv, double capacity);

// A tile for stride 1 found by cases. Sums of extents are taken as the larger one.
struct ConvTile {
  std::string_view branch;  // as the theorem numbers its cases: "2.2.1"
  double batch = 1, in_channels = 1, out_channels = 1;
  std::vector<double> outputs, taps;  // [window]: extents of the tile

  double volume() const;  // iterations
};
// `conv` must have strides 1 and in each window taps <= outputs; `capacity` in words.
ConvTile stride_one_tile(const Convolution& conv, double capacity);

// A matrix product of m x k by k x n with words of these sizes.
struct MatrixProduct {
  double m = 1, n = 1, k = 1;
  double left_word = 1, right_word = 1, out_word = 1;
};

// The least over tilings of one matrix that stays, by tiles, while the others stream by: tiles of whole numbers, edges
// exact. Infinite when no three words fit.
double product_words(const MatrixProduct& product, double capacity);

// Every MAC loads its two operands; sums stay in a register.
double naive_words(const Convolution& conv);
// The image is copied into a matrix of a row for each output position; then a product.
double im2col_words(const Convolution& conv, double capacity);
// Blocks of m outputs along each window, the m of 2 to 6 that moves the least; images, filters and outputs are
// transformed in passes of their own.
double winograd_words(const Convolution& conv, double capacity);
// Whole planes are transformed, with as many passes as a memory of this size needs.
double fft_words(const Convolution& conv, double capacity);

// Words that a tile may take: half of each memory when it is double-buffered.
struct ScratchpadMachine {
  u64 scratchpad = 131072;
  u64 accumulator = 8192;
};

// The extents of a tile.
struct IntegerConvTile {
  u64 batch = 1, in_channels = 1, out_channels = 1;
  std::array<u64, 2> outputs{1, 1}, quotients{1, 1}, remainders{1, 1};  // (w, h), (r', s'), (r'', s'')
  std::array<u64, 2> taps{1, 1};  // r' r'' and s' s'', of which at most R and S exist

  u64 volume() const;  // iterations
  u64 image_words() const;
  u64 filter_words() const;
  u64 out_words() const;
};

// The tile of most iterations; nothing when not even one iteration fits.
std::optional<IntegerConvTile> largest_integer_tile(const Convolution& conv, const ScratchpadMachine& machine);

// The tile that the vendor's library takes: from the whole convolution the largest extent is cut, channels by a side of
// the array of units, until both memories have room, then all extents grow in turn as long as they have. Memories are
// counted in rows of `kArraySide` words (tile_rows()). Nothing when not even one iteration fits. Source: the tiler of
// convolutions in GEMMINI's C library (repository gemmini-rocc-tests), without pooling.
inline constexpr u64 kArraySide = 16;
std::optional<IntegerConvTile> vendor_tile(const Convolution& conv, const ScratchpadMachine& machine);

// Rows that a tile takes in the scratchpad and in the accumulator, as the library counts them.
struct TileRows {
  u64 scratchpad = 0, accumulator = 0;
};
TileRows tile_rows(const Convolution& conv, const IntegerConvTile& tile);

// What the source takes for communication: rows of both memories, over all tiles (volumes are not rounded up).
double allocated_rows(const Convolution& conv, const IntegerConvTile& tile);

// The tile with whole filters that loads the fewest words of image and filter when outputs stay in the accumulator
// until they are done; edges count as whole tiles. Channels are streamed one by one.
struct OutputStationaryTile {
  IntegerConvTile tile;
  u64 loads = 0;  // words of image and filter over the whole convolution
};
std::optional<OutputStationaryTile> least_loads_tile(const Convolution& conv, const ScratchpadMachine& machine);

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

// That algorithm with whole tiles, executed: every word that it loads, makes or stores is counted.

// What an execution did.
struct SketchCounts {
  u64 loads = 0;      // words of A, and of S where it was stored
  u64 generated = 0;  // elements of S that were made
  u64 stores = 0;     // words of Ahat, and of S where it is stored
  u64 held = 0;       // most words inside at a time

  double cost(const Sketch& sketch) const;  // loads and generations, as sketch_bound() counts them
};

// The extents of Ahat's tile with the least cost among whole ones that leave room for a row of A's tile and an element
// of S in `capacity` >= 3 words.
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

// Lower and upper bounds in closed form as IOLB and IOUB print them, for contractions and convolutions of stride 1.
// Source: Olivry, Automatic derivation of I/O complexity bounds for affine programs, table 3.2 and section 5. They
// count loads of one-word elements, outputs among the inputs. Reference forms: what this program guarantees is
// segment_bound().

// An Einsum of two inputs as a matrix product: the loops in groups by the two arrays that share them.
struct Contraction {
  double m = 1;        // sizes of the loops of output and first input
  double n = 1;        // of output and second input
  double k = 1;        // of both inputs
  int contracted = 0;  // number of loops in k

  double macs() const { return m * n * k; }
  double arrays() const { return m * n + m * k + n * k; }
};

// The workload as a contraction. Nothing when a loop indexes one or all three arrays, or ranks are sums.
std::optional<Contraction> as_contraction(const Workload& workload);

// Lower bound of the loads with a memory of `capacity` (S) words: the larger of the sizes of the three arrays and the
// table's form for one contracted loop, or for two and more.
double contraction_form(const Contraction& contraction, double capacity);

// Lower bounds of a convolution with stride 1 and two windows, the rows of the table: compulsory loads; no small
// dimension; small windows; small windows and batch.
std::array<double, 4> convolution_forms(const Convolution& conv, double capacity);

// The tiling of a contraction whose tiles of the array that stays are sqrt(S + 1) - 1 by as much, with a third extent
// of 1. The array is the smallest of those that are no smaller than a tile along both directions.
struct ContractionTilingForm {
  double extent = 0;      // of a tile, along both directions
  double stationary = 0;  // words of the array that stays
  double loads = 0;       // words over the whole execution
  bool valid = false;     // some array is large enough
};
ContractionTilingForm contraction_tiling_form(const Contraction& contraction, double capacity);

// The tiling of a convolution with one output column, whole windows and the same extent of channels and rows.
struct ConvolutionTilingForm {
  double extent = 0;   // of channels and rows
  double loads = 0;    // words over the whole execution
  bool valid = false;  // the extent is at most the channels and rows
};
ConvolutionTilingForm convolution_tiling_form(const Convolution& conv, double capacity);

}  // namespace heliolite

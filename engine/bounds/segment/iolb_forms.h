#pragma once
// Lower and upper bounds in closed form as IOLB and IOUB print them, for contractions and convolutions of stride 1.
// Source: Olivry, Automatic derivation of I/O complexity bounds for affine programs, table 3.2 and section 5. They
// count loads of one-word elements, outputs among the inputs. Reference forms: what this program guarantees is
// segment_bound().
#include <array>
#include <optional>

#include "engine/bounds/conv/conv_bound.h"

namespace heliolite {

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

#pragma once
// A histogram over a logarithmic axis as an SVG picture.
#include <string>
#include <vector>

#include "engine/base/types.h"

namespace heliolite::cli {

// Counts of values from `from` to below `to`.
struct HistogramBin {
  double from = 0, to = 0;
  u64 count = 0;
};

// Bins of equal ratio, `per_decade` for a factor of ten, from the one of the least value to the one of the largest.
// Values must be positive.
std::vector<HistogramBin> log_bins(const std::vector<double>& values, int per_decade);

// A value to be shown as a line with a name.
struct HistogramLine {
  std::string name;
  double at = 0;
};

// The document. `bins` of one log_bins() and not empty; `axis`: what the values are.
std::string histogram_svg(const std::string& title, const std::string& axis, const std::vector<HistogramBin>& bins,
                          const std::vector<HistogramLine>& lines);

}  // namespace heliolite::cli

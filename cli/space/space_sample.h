#pragma once
// Mappings drawn at random, for `heliolite space --sample`: how rare good ones are.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/search/core/options.h"
#include "engine/space/mapspace.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// A histogram over a logarithmic axis as an SVG picture.

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

// The options of --sample.
struct SampleQuestion {
  u64 mappings = 0;      // legal ones to draw; 0: not asked for
  std::string csv, svg;  // files, "-" = stdout, "" = none
};

// Draws the mappings, prints how they compare with the best mapping that the exact search finds in a limited time, and
// writes the histogram as CSV, SVG and JSON with the head `answer`. `options`: objective, seed, threads, what is
// lifted. Returns the exit code.
int show_sample(const Workload& workload, const Architecture& architecture, const Mapspace& space,
                SearchOptions options, const SampleQuestion& question, Json answer, const Output& output);

}  // namespace heliolite::cli

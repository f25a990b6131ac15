#pragma once
// Mappings drawn at random, for `heliolite space --sample`: how rare good ones are.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/search/core/options.h"
#include "engine/space/mapspace.h"
#include "workloads/workload.h"

namespace heliolite::cli {

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

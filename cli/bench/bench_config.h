#pragma once
// The files of `heliolite bench`: a suite of mappers to compare, an ablation, or the co-search of memories beside a
// search of every machine (docs/formats_bench.md).
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/search/core/option_table.h"
#include "engine/search/study/ablation.h"
#include "engine/search/study/bench_suite.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite::cli {

// The machines and layers of a sweep, whose memories are searched together and one by one.
struct CoSearchSuite {
  std::string name;
  SweepSpec sweep;
  std::vector<Strategy> strategies;
};

// One of the three.
struct BenchConfig {
  std::optional<BenchSuite> suite;
  std::optional<AblationSuite> ablation;
  std::optional<CoSearchSuite> co_search;
};

// Machines, workloads and tables that the file names are presets or stand relative to it; they are loaded too.
// `instead`: of what the file says. Errors: all of the file and of what it names, in one go.
Result<BenchConfig> load_bench_config(const std::string& path, std::span<const GivenOption> instead = {});

}  // namespace heliolite::cli

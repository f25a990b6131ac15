#pragma once
// The files of `heliolite bench`: a suite of mappers to compare, or an ablation (docs/formats_bench.md).
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/search/ablation.h"
#include "engine/search/bench_suite.h"

namespace heliolite::cli {

// One of the two.
struct BenchConfig {
  std::optional<BenchSuite> suite;
  std::optional<AblationSuite> ablation;
};

// Machines, workloads and tables that the file names are presets or stand relative to it; they are loaded too.
// `objective`: instead of the file's. Errors: all of the file and of what it names, in one go.
Result<BenchConfig> load_bench_config(const std::string& path, std::optional<Objective> objective = {});

}  // namespace heliolite::cli

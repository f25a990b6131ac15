#pragma once
// Reads the files of `heliolite bench`: a suite of mappers to compare, an ablation, or a co-search of memories compared
// with a search of every machine (docs/formats_bench.md).
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/inputs/read_options.h"
#include "engine/search/core/option_table.h"
#include "engine/search/study/ablation.h"
#include "engine/search/study/bench_suite.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite::cli {

// The short form of a suite: fewer layers, less time for each search.

struct ShortForm {
  std::optional<std::size_t> layers;  // how many of the suite's, evenly spread over its list
  std::optional<double> seconds;      // no search may take longer; smaller budgets of the suite stay

  bool asked() const { return layers || seconds; }
};

// A suite that has not more layers stays whole.
void shorten(BenchSuite& suite, const ShortForm& form);

// The machines and layers of a sweep, whose memories are searched together and one by one.
struct CoSearchSuite {
  std::string name;
  SweepSpec sweep;
  std::vector<Strategy> strategies;
};

// Exactly one of the three is there.
struct BenchConfig {
  std::optional<BenchSuite> suite;
  std::optional<AblationSuite> ablation;
  std::optional<CoSearchSuite> co_search;
  std::vector<std::string> notes{};  // what of the files that it names was read otherwise than it is written
  std::string layers_alone{};        // what is to be said of a network's layers, if it has a network; else empty
};

// Reads the file and loads the machines, workloads and tables that it names, presets or files relative to it.
// `instead`: options that replace what the file says. All errors of the file and of what it names are returned at once.
Result<BenchConfig> load_bench_config(const std::string& path, std::span<const GivenOption> instead = {},
                                      const ReadOptions& reading = {});

}  // namespace heliolite::cli

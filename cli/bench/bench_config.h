#pragma once
// The files of `heliolite bench`: a suite of mappers to compare, an ablation, or a co-search of memories compared with
// a search of every machine (docs/formats_bench.md).
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/inputs/read_options.h"
#include "engine/search/core/objective.h"
#include "engine/search/core/option_table.h"
#include "engine/search/study/ablation.h"
#include "engine/search/study/bench_suite.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite::cli {

// Options of a search that a strategy of a suite has not, for the suite says them; and those that mappers of other
// people are told.
inline constexpr std::array<std::string_view, 3> kNotOfStrategies{"objective", "strategy", "threads"};
inline constexpr std::array<std::string_view, 5> kToldToCommands{"budget", "free", "open", "factors", "tiles"};

const FieldTable& bench_file_fields();  // the document
const FieldTable& bench_suite_fields();
const FieldTable& ablation_fields();
const FieldTable& co_search_fields();

const FieldTable& bench_strategy_fields();
const FieldTable& command_mapper_fields();
const FieldTable& bench_machine_fields();   // a machine that has a name
const FieldTable& bench_workload_fields();  // a workload that has a name
const FieldTable& training_fields();
const FieldTable& published_fields();

// Mappers that are other programs, as rows of a bench suite.

// What a publication says of mappers, as a suite's file states it.

// Reads one element of `published`. Complains also about mappers that the suite's strategies and tables do not have,
// so these are read before.
PublishedClaim published_claim(const YamlNode& node, const BenchSuite& suite, Diagnostics& errors);

// Columns, in any order: machine, layer, mapper (or tool; `setting` is added in brackets); the value as `value` or as
// `energy_pj` and `cycles`; optionally `objective` (rows of another one are skipped), `seconds` (or cpu_s) and
// `evaluated`. Other columns are ignored, lines starting with # too.
// Errors, all with their lines: missing columns, too many or too few cells, what is no positive number.
Result<std::vector<ExternalResult>> load_external_results(const std::string& path, Objective objective);

// Seconds that a command may take unless the suite says otherwise.
inline constexpr double kCommandSeconds = 60;

// The entry of a suite's strategies that has the key `command`. `file`: the suite's.
BenchStrategy read_command_mapper(const YamlNode& entry, const std::string& file, Diagnostics& errors);

// Reads the files of `heliolite bench`: a suite of mappers to compare, an ablation, or a co-search of memories compared
// with a search of every machine (docs/formats_bench.md).

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

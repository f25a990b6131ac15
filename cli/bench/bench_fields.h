#pragma once
// The fields of suite files (docs/formats_bench.md), map by map.
#include <array>
#include <string_view>

#include "engine/base/field_reader.h"

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

}  // namespace heliolite::cli

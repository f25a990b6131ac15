#pragma once
// What was asked, as text that is equal exactly when the answers are.
#include <string>

#include "engine/sweep/records.h"
#include "engine/sweep/shard_rule.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Of one layer on one machine. The workload's name, the machine's name and its areas change no mapping and do not
// count; names of dimensions, tensors and levels do, for the mapping is written in them.
std::string layer_question(const Workload& workload, const Architecture& machine, const SearchOptions& options);

// Of the whole sweep: machine, parameters, constraints, workloads, options, goal, sample. Comments, the order of keys
// and where the files are do not count.
std::string sweep_question(const SweepSpec& spec);

// What a database holds of the sweep itself. `version`: of the program.
SweepRecord sweep_record(const SweepSpec& spec, Shard shard, const std::string& version);

}  // namespace heliolite

#pragma once
// The questions of layers and sweeps as text: two questions with equal text have equal answers.
#include <string>

#include "engine/sweep/design_points.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// The question of one layer on one machine. The workload's name, the machine's name and its areas change no mapping and
// are left out; names of dimensions, tensors and levels are in it, for the mapping is written in them.
std::string layer_question(const Workload& workload, const Architecture& machine, const SearchOptions& options);

// The question of all layers of a sweep together on one machine, for a network's own objective.
std::string network_question(const SweepSpec& spec, const Architecture& machine);

// The question of the whole sweep: machine, parameters, constraints, workloads, options, goal, sample. Comments, the
// order of keys and the places of files are left out.
std::string sweep_question(const SweepSpec& spec);

// How the files that a sweep names are read, as a text (JSON) in its database, and the options of such a text; those of
// a text of another program as far as they are known.
std::string reading_text(const ReadOptions& options);
ReadOptions parse_reading(const std::string& text);

// The sweep whose text a database holds. Files that the text names are looked for beside the database, then in the
// current folder; they may be others than when it was run.
Result<SweepSpec> asked_sweep(const SweepRecord& sweep, const std::string& database);

// The record of the sweep itself in its database. `version`: of the program.
SweepRecord sweep_record(const SweepSpec& spec, const Shard& shard, const std::string& version);

}  // namespace heliolite

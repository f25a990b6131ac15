#pragma once
// Mappers that are other programs, as rows of a bench suite.
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/search/core/objective.h"
#include "engine/search/study/bench_suite.h"

namespace heliolite::cli {

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

// Runs `command` by /bin/sh with these in place of words in braces, paths quoted: {machine} and {workload}, files in
// our formats; {mapping}, a file that it is to write; {seconds}, that it may take; {objective}; {suite}, the folder
// `suite`. Without {mapping} the answer is what it says on its standard output. The answer is anything that `eval -m`
// reads. The files are gone when it has ended.
ForeignMapper command_mapper(const std::string& command, const std::string& suite);

// The entry of a suite's strategies that has the key `command`. `file`: the suite's.
BenchStrategy read_command_mapper(const YamlNode& entry, const std::string& file, Diagnostics& errors);

}  // namespace heliolite::cli

#pragma once
// A mapper of `heliolite bench` that is a command: it finds the machine and the layer in files, and answers with a
// mapping (docs/evaluator.md).
#include <string>

#include "engine/base/yaml_node.h"
#include "engine/search/study/bench_suite.h"

namespace heliolite::cli {

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

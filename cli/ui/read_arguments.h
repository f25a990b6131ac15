#pragma once
// Options that say how input files are read: --sparse, --define, --rename, --link-transfers, --word-bits, and those of
// ONNX models. Every command that takes a machine or a workload has them.
#include <string>
#include <string_view>
#include <vector>

#include "cli/ui/command.h"
#include "engine/base/result.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// Adds them; what is given stands in `options` once the command line is read.
void add_read_options(CLI::App& command, ReadOptions& options);

// Names of those that are of ONNX models alone: "--dim", ..
const std::vector<std::string>& model_option_names();

// The error where there is no workload that they could be of: "'batch=1' is said of an ONNX model, and {what}"; empty
// if none is given.
Diagnostics refuse_model_options(const ReadOptions& options, std::string_view what);

// The same as words of a command line.
std::vector<std::string> words_of(const ReadOptions& options);

}  // namespace heliolite::cli

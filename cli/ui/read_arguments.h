#pragma once
// Options that say how input files are read: --sparse, --define, --rename, --link-transfers, --word-bits. Every command
// that takes a machine or a workload has them.
#include <string>
#include <vector>

#include "cli/ui/command.h"
#include "engine/inputs/read_options.h"

namespace heliolite::cli {

// Adds them; what is given stands in `options` once the command line is read.
void add_read_options(CLI::App& command, ReadOptions& options);

// The same as words of a command line.
std::vector<std::string> words_of(const ReadOptions& options);

// Prints what was read otherwise than it is written, one note a line.
void tell(const std::vector<std::string>& notes, const Output& output);

}  // namespace heliolite::cli

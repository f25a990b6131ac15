#pragma once
// The command line: all commands and what they share, as CLI11 parses them.

namespace heliolite::cli {

// Parses the command line, runs the command, returns the exit code.
int run_command_line(int argc, char** argv);

}  // namespace heliolite::cli

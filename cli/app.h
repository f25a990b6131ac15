#pragma once

namespace heliolite::cli {

// Parses the command line, runs the command, returns the exit code.
int run_command_line(int argc, char** argv);

}  // namespace heliolite::cli

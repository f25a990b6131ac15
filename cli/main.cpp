// The program: signals and streams are set up, then the command line runs.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cli/app.h"
#include "cli/ui/file_writer.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/output.h"

// The library does not throw for bad input; what arrives here is a bug, and says so.
int main(int argc, char** argv) {
  // A file at its size limit is a write that fails and is complained about, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  heliolite::cli::hold_standard_streams();
  try {
    const int code = heliolite::cli::run_command_line(argc, argv);
    if (!heliolite::cli::work_goes_on()) return code;
    std::fflush(nullptr);
    std::_Exit(code);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heliolite: internal error, please report it with the command line: %s\n", e.what());
  } catch (...) {
    std::fprintf(stderr, "heliolite: internal error, please report it with the command line\n");
  }
  return heliolite::cli::kBug;
}

#pragma once
// The end of a command whose parts are answered one after the other, and that Ctrl-C may have stopped on the way.
#include <cstddef>

#include "cli/ui/json.h"
#include "cli/ui/output.h"

namespace heliolite::cli {

// Adds "interrupted" to the answer and writes it; a stopped command notes that it has `done` of its parts. Returns the
// exit code: `code`, or that of an interrupted command or of an output that cannot be written.
int write_partial_answer(const Output& output, Json& answer, std::size_t done, std::size_t of, const char* parts,
                         int code = kSuccess);

}  // namespace heliolite::cli

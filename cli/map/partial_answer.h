#pragma once
// The end of a command whose parts are answered one after the other, and that Ctrl-C may have stopped on the way.
#include <cstddef>

#include "cli/ui/json.h"
#include "cli/ui/output.h"

namespace heliolite::cli {

// Adds "interrupted" to the answer and writes it; a stopped command says how many of its parts it has. The exit code.
int write_partial_answer(const Output& output, Json& answer, std::size_t done, std::size_t of, const char* parts,
                         int code = kSuccess);

}  // namespace heliolite::cli

#pragma once
// Prints Store::warnings() as notes.
#include <string>
#include <vector>

#include "cli/ui/output.h"

namespace heliolite::cli {

// Prints each warning as a line on standard error, unless --quiet.
inline void note_warnings(const std::vector<std::string>& warnings, const Output& output) {
  for (const std::string& warning : warnings) output.note("heliolite: " + warning);
}

}  // namespace heliolite::cli

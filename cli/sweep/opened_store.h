#pragma once
// Databases of sweeps that a command reads: warnings as notes, and Ctrl-C ends the reading.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/ui/interrupt.h"
#include "cli/ui/output.h"
#include "engine/base/text.h"
#include "engine/sweep/merge.h"
#include "engine/sweep/store.h"

namespace heliolite::cli {

// Prints each of Store::warnings() as a line on standard error, unless --quiet.
inline void note_warnings(const std::vector<std::string>& warnings, const Output& output) {
  for (const std::string& warning : warnings) output.note("heliolite: " + warning);
}

// Says what was taken over from a smaller grid, if anything was.
inline void note_grown(const GrownStore& grown, const std::string& path, const Output& output) {
  if (!grown.grown) return;
  note_warnings(grown.warnings, output);
  output.note(fmt::format(
      "heliolite: {} was of a smaller grid: {} points and {} layers of it are taken over; the old file is {}", path,
      grouped(grown.points), grouped(grown.layers), grown.old_copy));
}

// Opens a database to read. After Ctrl-C whatever reads it ends with errors.
inline Result<Store> open_to_read(const std::string& path, const Output& output) {
  Result<Store> store = Store::read(path, &interrupt_flag());
  if (store) note_warnings(store->warnings(), output);
  return store;
}

// Prints the errors and returns the exit code; Ctrl-C makes errors too.
inline int fail_reading(const Diagnostics& errors) {
  const int code = fail(errors);
  return interrupt_flag() ? kInterrupted : code;
}

}  // namespace heliolite::cli

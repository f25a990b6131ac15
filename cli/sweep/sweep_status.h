#pragma once
// heliolite sweep --status DB: how far a sweep is and what it has found, while it runs or afterwards.
#include <string>

#include "cli/ui/output.h"

namespace heliolite::cli {

// heliolite sweep --export DB: writes the rows of a results database for other programs, as CSV and as JSON.

// The options of --export.
struct SweepExport {
  std::string database;
  std::string points_csv, layers_csv;  // files, "-" = stdout, "" = not wanted
};

// Writes the files and, with --json, all points and layers as JSON. Returns the exit code.
int run_sweep_export(const SweepExport& arguments, const Output& output);

// Prints the status and returns the exit code.
int run_sweep_status(const std::string& database, const Output& output);

}  // namespace heliolite::cli

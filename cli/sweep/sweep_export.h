#pragma once
// heliolite sweep --export DB: writes the rows of a results database for other programs, as CSV and as JSON.
#include <string>

#include "cli/ui/output.h"

namespace heliolite::cli {

// The options of --export.
struct SweepExport {
  std::string database;
  std::string points_csv, layers_csv;  // files, "-" = stdout, "" = not wanted
};

// Writes the files and, with --json, all points and layers as JSON. Returns the exit code.
int run_sweep_export(const SweepExport& arguments, const Output& output);

}  // namespace heliolite::cli

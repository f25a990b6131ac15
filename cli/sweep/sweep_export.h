#pragma once
// heliolite sweep --export DB: the rows of a results database for other programs, as CSV and as JSON.
#include <string>

#include "cli/ui/output.h"

namespace heliolite::cli {

struct SweepExport {
  std::string database;
  std::string points_csv, layers_csv;  // files, "-" = stdout, "" = not wanted
};

// With --json all points and layers go there too.
int run_sweep_export(const SweepExport& arguments, const Output& output);

}  // namespace heliolite::cli

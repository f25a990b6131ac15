#pragma once
// `heliolite report DB --serve`: the page of a sweep that is still being written.
#include <string>

#include "cli/ui/output.h"
#include "engine/report/report_data.h"

namespace heliolite::cli {

// Serves the page of `database` at `port` (served_port()) until Ctrl-C; returns the exit code.
int serve_report(const std::string& database, const std::string& port, const ReportLimits& limits,
                 const Output& output);

}  // namespace heliolite::cli

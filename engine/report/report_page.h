#pragma once
// The page of a sweep: one HTML file with its styles, scripts, chart library and data.
#include <string>

#include "engine/base/result.h"
#include "engine/report/report_data.h"

namespace heliolite {

// Opens from a file, asks the network for nothing. Error: the program was built without the chart library.
Result<std::string> report_page(const ReportData& data, const std::string& program);

}  // namespace heliolite

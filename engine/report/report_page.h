#pragma once
// The page of a sweep: one HTML file with its styles, scripts, chart library and data.
#include <string>

#include "engine/base/result.h"

namespace heliolite {

struct ReportData;

// The page as HTML. A browser shows it from a file, without a network. `program`: which one made it. Error: the program
// was built without the chart library. `state`: of a page that is served and asks its server for /state; it loads
// itself again when that is another one. Empty: the page asks for nothing. Letters and digits.
Result<std::string> report_page(const ReportData& data, const std::string& program, const std::string& state = "");

}  // namespace heliolite

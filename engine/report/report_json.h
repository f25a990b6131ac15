#pragma once
// The data of the page as JSON, which engine/report/page/data.js reads.
#include <string>

#include "engine/report/report_data.h"

namespace heliolite {

// JSON in ASCII that may stand inside a <script> element: whatever names and texts hold, it neither ends the element
// nor opens a comment in it. Broken UTF-8 becomes replacement characters. `program`: which one made it.
std::string report_json(const ReportData& data, const std::string& program);

}  // namespace heliolite

#pragma once
// A workload as a Timeloop problem file.
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "workloads/workload.h"

namespace heliolite {

struct TimeloopProblem {
  std::string text;   // a YAML document that timeloop_problem() and Timeloop, of any version, read
  Diagnostics notes;  // what the format does not say: roles that do not follow from the names; and names that
                      // Timeloop's factors cannot spell
};

// `version`: "0.3" or "0.4", which the file states.
TimeloopProblem write_timeloop_problem(const Workload& workload, std::string_view version);

}  // namespace heliolite

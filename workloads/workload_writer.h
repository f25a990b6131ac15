#pragma once
// A workload in the project's own format (docs/formats_workload.md), for programs that do not know its preset or text.
#include <string>

#include "workloads/workload.h"

namespace heliolite {

// A YAML document that read_workload() reads back to an equal workload.
std::string write_workload(const Workload& workload);

}  // namespace heliolite

#pragma once
// The `instance` of a Timeloop problem: sizes, coefficients, and keys that Timeloop passes over.
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "workloads/workload.h"

namespace heliolite {

// A named factor of projections.
struct TimeloopCoefficient {
  std::string name;
  u64 value = 1;     // 0 where the file says so
  YamlNode place{};  // of the value, if the file gives one
};

// Sets the sizes of the workload's dimensions and the coefficients. Values may be expressions over `variables` (maps of
// names and values). `notes` gets a sentence for each key that is passed over although it may have been meant.
void read_timeloop_instance(MapReader& map, const std::vector<YamlNode>& variables, Workload& workload,
                            std::vector<TimeloopCoefficient>& coefficients, std::vector<std::string>& notes,
                            Diagnostics& errors);

}  // namespace heliolite

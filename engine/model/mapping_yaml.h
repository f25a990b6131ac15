#pragma once
// The project's own mapping format, read and written (docs/formats_mapping.md). It reads as the loop nest:
// outermost level first, within a level outermost loop first.
//
//   mapping:
//     - {level: DRAM, keep: [A, B, Z], temporal: [K: 4, M: 2]}
//     - {level: GLB, keep: [A, Z], spatial: {x: [M: 8], y: [K: [4, 2]]}}   # the last tile of K has 2, not 4
#include <string>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// Reads the list of levels (the value of `mapping:`). Complains about unknown levels, dimensions and tensors, levels
// or loops out of order or given twice, factors that do not multiply to the dimension's size (naming them), and
// fan-outs used beyond their width. A level that is not listed has no loops; a level without `keep` keeps what the
// machine lets it keep (keep.h). Capacities are not checked here (mapping_check.h).
Result<Mapping> read_mapping(const YamlNode& levels, const Workload& workload, const Architecture& architecture);

// A YAML document that read_mapping() reads back to an equal mapping.
std::string write_mapping(const Mapping& mapping, const Workload& workload, const Architecture& architecture);
// Its list of levels, each line behind the margin.
std::string write_levels(const Mapping& mapping, const Workload& workload, const Architecture& architecture,
                         const std::string& margin);

// In what two mappings differ: what every level keeps, its loops over time and those of its fan-out, as texts;
// outermost level first.
FieldDifferences differences(const Mapping& a, const Mapping& b, const Workload& workload,
                             const Architecture& architecture);

}  // namespace heliolite

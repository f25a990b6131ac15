#pragma once
// The project's own mapping format, read and written (docs/formats_mapping.md). It reads as the loop nest:
// outermost level first, within a level outermost loop first.
//
//   mapping:
//     - {level: DRAM, keep: [A, B, Z], temporal: [K: 4, M: 2]}
//     - {level: GLB, keep: [A, Z], spatial: {x: [M: 8], y: [K: [4, 2]]}}   # the last tile of K has 2, not 4
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/field_reader.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/base/yaml_node.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// The loops of one level in a mapping's file, and how names that nothing has are complained about.

// The factors of a dimension as a mapping file lists them, and what is said when they do not make its size.

// A loop of a mapping file, factors of 1 included.
struct ListedFactor {
  int dimension = 0;
  u64 end = 1;
  u64 residual = 1;
  std::string where;  // "GLB x"
};

// "GLB x 4", "GLB x [4, 2]".
std::string text(const ListedFactor& factor);

// Why these factors, outermost first, are not those of the dimension; empty if they are.
std::string product_complaint(const Dimension& dimension, const std::vector<ListedFactor>& factors);

// The fields of our mapping files (docs/formats_mapping.md), map by map.

Shape mapping_document_shape();  // the list of levels, or a map that has it

const FieldTable& mapping_file_fields();
const FieldTable& mapping_level_fields();
const FieldTable& mapping_fanout_fields();

// Reads [K: 4, C: [3, 2]], or {K: 4, C: 2} in the order written; nothing is no loops. `where` stands for the place in
// complaints: "GLB temporal". Complains about unknown dimensions, two loops of one and factors that are none.
std::vector<ListedFactor> read_loops(const YamlNode& node, const std::string& where, const Workload& workload,
                                     Diagnostics& errors);

// The complaint about a name, of a level, a tensor or a dimension (`what`), that is not among the known ones.
Diagnostic unknown_name(const YamlNode& node, std::string_view what, const std::string& name,
                        const std::vector<std::string>& known);

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

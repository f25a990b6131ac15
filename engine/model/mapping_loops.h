#pragma once
// The loops of one level in a mapping's file, and how names that nothing has are complained about.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/field_table.h"
#include "engine/base/types.h"
#include "engine/base/yaml_node.h"
#include "workloads/workload.h"

namespace heliolite {

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

}  // namespace heliolite

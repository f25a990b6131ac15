#pragma once
// The fields of sweep files (docs/formats_sweep.md), map by map.
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "engine/base/field_table.h"

namespace heliolite {

// Options of a search that a sweep has not.
inline constexpr std::array<std::string_view, 1> kNotOfSweeps{"threads"};

const FieldTable& sweep_file_fields();  // the document
const FieldTable& sweep_fields();
const FieldTable& sweep_limit_fields();
const FieldTable& sweep_explore_fields();
const FieldTable& sweep_workload_fields();
const FieldTable& sweep_parameter_fields();

// The names of all columns of the tables of results, of the views and of the exports, and of the keys of their JSON.

// All column names in small letters. A sweep's parameter is a further column and must have another name; SQL does
// not tell capitals from small letters.
const std::set<std::string>& column_names();

}  // namespace heliolite

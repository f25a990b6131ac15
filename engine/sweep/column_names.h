#pragma once
// The names of all columns of the tables of results, of the views and of the exports, and of the keys of their JSON.
#include <set>
#include <string>

namespace heliolite {

// All column names in small letters. A sweep's parameter is a column beside these and must have another name; SQL does
// not tell capitals from small letters.
const std::set<std::string>& column_names();

}  // namespace heliolite
